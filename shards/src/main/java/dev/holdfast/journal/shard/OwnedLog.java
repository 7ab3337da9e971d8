package dev.holdfast.journal.shard;

import dev.holdfast.journal.replica.LogEntry;
import dev.holdfast.spi.log.ReplicatedLog;

/**
 * The log of a shard as one ownership writes it. Thread-safe.
 *
 * @param log takes the entries
 * @param version of the entries, which all nodes read
 */
record OwnedLog(ReplicatedLog log, int version) {

  /**
   * Proposes an entry.
   *
   * @param refused runs if the log gives the entry up
   */
  void propose(LogEntry entry, Runnable refused) {
    log.propose(entry.encode(version), refused);
  }

  /** Proposes an entry that nothing waits for: what the log gives up is proposed again later. */
  void propose(LogEntry entry) {
    propose(entry, () -> {});
  }
}
