package dev.holdfast.journal.shard;

import dev.holdfast.journal.image.ImageSource;

/**
 * What a replica of a shard gives to the replicas of other nodes. That of the owner also gives
 * files of the objects.
 */
public interface ReplicaSource extends ImageSource {

  /**
   * Says what the replica has now.
   *
   * @param segment the first segment that is asked for, by its first position; 0 for all
   * @return the state, with the segments from that one on
   */
  ReplicaState state(long segment);

  /**
   * Reads some bytes of a segment. Those after the end that a state has named mean nothing.
   *
   * @param segment its first position
   * @param offset in the file
   * @return the bytes at the offset: as many as there are, at most {@link
   *     SealedSegments#CHUNK_BYTES_MAX}; none at the end
   */
  byte[] read(long segment, long offset);

  /**
   * Returns which purge is done, by the index of its entry.
   *
   * @return the last purge of whose records neither a file of the replica nor one of its log has
   *     anything; the same negative while the log may have some, and nothing else; 0 if there is
   *     none, or this is not known
   */
  default long purged() {
    return 0;
  }
}
