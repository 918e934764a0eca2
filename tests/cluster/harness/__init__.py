"""What cluster tests stand on: a cluster of their own, the chart, operators as processes, a record of what was seen."""
