"""How well the engine does on labelled material: a module for each thing that `sightline evaluate` measures."""
