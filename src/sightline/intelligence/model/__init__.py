"""Asking a language model behind an OpenAI-compatible endpoint.

    choice.py      the model, or the embedded engine where there is no model or it fails
    engine.py      the tasks that a model does
    endpoint.py    one request with its retries, and which form of answer the endpoint can give
    answers.py     reading an answer, and the schema that asks for it
    quotes.py      the place of a quote in its source
    claims.py      sentences that rest on their sources
    usage.py       what tasks took
    research/      plans, relevance and answers of research

`engine` and `endpoint` are imported only if a model is configured.
"""
