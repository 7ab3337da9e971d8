package dev.holdfast.journal.shard;

/** What replicas say, changed on the way. */
final class ReplicaStates {

  private ReplicaStates() {}

  /** {@return a replica that says it has done another purge} */
  static ReplicaSource withPurged(ReplicaSource source, long purged) {
    return new ReplicaSource() {
      @Override
      public ReplicaState state(long segment) {
        ReplicaState state = source.state(segment);
        return new ReplicaState(
            state.journalId(),
            state.index(),
            state.term(),
            state.epoch(),
            state.owner(),
            state.lastPosition(),
            state.segment(),
            state.salt(),
            state.segmentBytes(),
            state.endOffset(),
            state.historyFrom(),
            state.leaseMillis(),
            purged,
            state.segments());
      }

      @Override
      public byte[] read(long segment, long offset) {
        return source.read(segment, offset);
      }
    };
  }
}
