package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.spi.ObjectKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Saved states that the catalog's database does not have. Unlike other changes they need not wait
 * until their records are durable: the batches in the file are, and a state describes the file even
 * if its record is lost. Thread-safe.
 */
final class SavedBacklog {

  /**
   * A waiting state.
   *
   * @param position the position of the checkpoint record
   * @param key the object
   * @param state the state
   */
  record Waiting(long position, ObjectKey key, SavedState state) {}

  private static final long NONE = Long.MAX_VALUE;

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private List<Waiting> waiting = new ArrayList<>();
  private final Set<ObjectKey> keys = new HashSet<>();
  private long waitingFrom = NONE;
  private long takenFrom = NONE;
  private long digest;

  /** {@return how many states wait, including this one} */
  int add(Waiting state) {
    lock.lock();
    try {
      waiting.add(state);
      keys.add(state.key());
      waitingFrom = Math.min(waitingFrom, state.position());
      digest =
          digest * 0x9E3779B97F4A7C15L + 31L * state.key().hashCode() + state.state().checksum();
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }

  /** {@return whether a state of an object waits} */
  boolean has(ObjectKey key) {
    lock.lock();
    try {
      return keys.contains(key);
    } finally {
      lock.unlock();
    }
  }

  /** Removes all, in the order of their records. */
  List<Waiting> take() {
    lock.lock();
    try {
      List<Waiting> taken = waiting;
      taken.sort(Comparator.comparingLong(Waiting::position));
      waiting = new ArrayList<>();
      keys.clear();
      takenFrom = Math.min(takenFrom, waitingFrom);
      waitingFrom = NONE;
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** Puts back states that could not be written. */
  void putBack(List<Waiting> taken) {
    lock.lock();
    try {
      waiting.addAll(taken);
      for (Waiting each : taken) {
        keys.add(each.key());
        waitingFrom = Math.min(waitingFrom, each.position());
      }
    } finally {
      lock.unlock();
    }
  }

  /** Records that everything taken so far is durable in the catalog's files. */
  void saved() {
    lock.lock();
    try {
      takenFrom = NONE;
    } finally {
      lock.unlock();
    }
  }

  /** {@return the lowest position that recovery would need; the largest long if none} */
  long lowestPosition() {
    lock.lock();
    try {
      return Math.min(takenFrom, waitingFrom);
    } finally {
      lock.unlock();
    }
  }

  /** {@return a number that differs if other states were added} */
  long digest() {
    lock.lock();
    try {
      return digest;
    } finally {
      lock.unlock();
    }
  }
}
