"""When saved research runs by itself."""
