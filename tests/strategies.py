"""Hypothesis strategies for labelled graphs."""

from hypothesis import strategies as st

from graphassay.graph import Graph, GraphSet


@st.composite
def graphs(
    draw: st.DrawFn,
    *,
    max_vertices: int = 8,
    vertex_labels: str = "ABC",
    edge_labels: str = "xy",
    min_vertices: int = 1,
) -> Graph:
    """Any labelled graph: isolated vertices and several components included."""
    n = draw(st.integers(min_vertices, max_vertices))
    labels = draw(st.lists(st.sampled_from(vertex_labels), min_size=n, max_size=n))
    pairs = [(u, v) for u in range(n) for v in range(u + 1, n)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    edges = [(u, v, draw(st.sampled_from(edge_labels))) for u, v in chosen]
    return Graph(labels, edges)


def graph_sets(
    *, min_size: int = 1, max_size: int = 8, **options: int
) -> st.SearchStrategy[GraphSet]:
    """Small databases of such graphs."""
    return st.lists(graphs(**options), min_size=min_size, max_size=max_size).map(
        GraphSet.from_graphs
    )
