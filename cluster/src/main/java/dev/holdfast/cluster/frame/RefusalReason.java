package dev.holdfast.cluster.frame;

/** Why a connection or a call is refused. */
public enum RefusalReason {
  /** The connection is one of another cluster. */
  CLUSTER_NAME(1),
  /** The connection expects another node here. */
  NODE_ID(2),
  /** The node comes with an older state of its data directory than it had, or twice. */
  INCARNATION(3),
  /** The node is no member. */
  NOT_A_MEMBER(4),
  /** There is no version that both speak. */
  VERSION(5),
  /** The certificate does not name the node. */
  CERTIFICATE_NAME(6),
  /** A frame is malformed, or exceeds the window. */
  PROTOCOL(7),
  /** The node has another list of members. */
  MEMBERS(8),
  /** The node has another number of shards. */
  SHARDS(9),
  /** The cluster was recovered from the copy of another node; the node is one of before. */
  RECOVERED(10),
  /** The node was a member, and was removed. */
  REMOVED(11),
  /** The node waits to be added, and has not opened its logs yet. */
  STARTING(12),
  /** The node is a member with another data directory, as far as is known. */
  OTHER_DIRECTORY(13),
  /** The node gives its shards up and takes no new calls. */
  DRAINING(16),
  /** The namespace is not registered on this node. */
  UNKNOWN_NAMESPACE(17),
  /** The interface of the namespace has no such method on this node. */
  UNKNOWN_METHOD(18),
  /** An argument cannot be read as the type that the method declares. */
  ARGUMENTS(19),
  /** The call was cancelled, or its time was over, before it had begun. */
  WITHDRAWN(20),
  /** A client may not do this. */
  NOT_ALLOWED(21);

  private final int code;

  RefusalReason(int code) {
    this.code = code;
  }

  /** {@return the number that stands for it in a frame} */
  public int code() {
    return code;
  }

  static RefusalReason of(int code) throws FrameException {
    for (RefusalReason each : values()) {
      if (each.code == code) {
        return each;
      }
    }
    throw new FrameException("a refusal has the unknown reason " + code);
  }
}
