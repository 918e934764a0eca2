"""How much there is of everything, in a full and in a small run."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    name: str
    nodes: int
    medium: int  # BenchJobs, each with 3 pods and a Job; 0 leaves the row out
    large: int
    settle: float  # seconds of rest before memory is read
    steady: float  # seconds in which requests are counted
    stream_rate: int
    stream_seconds: int
    reaction_pods: int
    reaction_nodes: int
    storm: int
    throughput: int

    # Which BenchJobs and nodes a trial touches: none that another trial has touched.
    @property
    def storm_first(self):
        return self.reaction_pods

    @property
    def nodes_first(self):
        touched = self.storm_first + self.storm
        return -(-touched // 10)

    @property
    def stream_first(self):
        return (self.nodes_first + self.reaction_nodes) * 10


SIZES = {
    "full": Size("full", nodes=1000, medium=3333, large=10000, settle=10, steady=60, stream_rate=150,
                 stream_seconds=20, reaction_pods=200, reaction_nodes=200, storm=2000, throughput=2000),
    "small": Size("small", nodes=34, medium=0, large=333, settle=1, steady=5, stream_rate=50,
                  stream_seconds=3, reaction_pods=20, reaction_nodes=10, storm=50, throughput=50),
}
