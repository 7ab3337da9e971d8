package dev.holdfast.cluster.placement;

/** What a node may be given, and what may be taken from it. */
public enum NodeUse {
  /** May get copies and owners. */
  READY,

  /** Keeps its copies, gets none, and owns nothing that another node can own. */
  DRAINING,

  /** Does not answer: it is given nothing, and nothing is taken from it. */
  ABSENT,

  /** Leaves for good: its copies are replaced elsewhere, whether it answers or not. */
  LEAVING
}
