"""The processes of a server: started, supervised and ended by `sightline serve` and `sightline worker`."""
