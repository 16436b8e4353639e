CREATE TEMPORARY TABLE probe (at timestamptz NOT NULL)
