"""Asking a language model behind an OpenAI-compatible endpoint.

    choice.py      the model, or the embedded engine where there is no model or it fails
    session.py     one task with a model: its budget, what it took, and how it fails
    endpoint.py    one request with its retries, and which form of answer the endpoint can give
    prompts.py     what a request says
    answers.py     reading an answer, and the schema that asks for it
    quotes.py      the place of a quote in its source
    claims.py      sentences that rest on their sources
    usage.py       what tasks took

What is asked for each is in ideas.py, insights.py, documents.py and research/.
"""
