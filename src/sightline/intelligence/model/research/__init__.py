"""Research by a model. What it finds are exact parts of pages, what it answers rests on them.

researcher.py   asks the model for one workspace, and the embedded researcher where the model fails
planning.py     a plan to review
relevance.py    which pages matter to a section, and their passages
answering.py    answers from the findings of a section
"""
