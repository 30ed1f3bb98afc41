-- A function inherits the settings of its caller. Those of the triggers that keep arrays of links have no hash joins, so
-- this one compared each signal of a statement with every other: to delete a workspace with 20,000 signals took minutes.
ALTER FUNCTION follow_signals() SET enable_hashjoin = on;
