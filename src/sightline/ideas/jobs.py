"""The periodic work of ideas: a model reads the ideas that are due."""

from sightline.ideas.readings.sweep import read_due
from sightline.platform.jobs import JobsOfRoom, Tick

JOBS = JobsOfRoom(ticks=[Tick("ideas.read", read_due)])
