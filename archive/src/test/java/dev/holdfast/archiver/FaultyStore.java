package dev.holdfast.archiver;

import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.ArchiveEntry;
import dev.holdfast.archive.ArchiveStore;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A store that does what a network can do to each operation, in the order of a script; after it,
 * everything works. Thread-safe.
 */
final class FaultyStore implements ArchiveStore {

  /** What happens to an operation. */
  enum Fault {
    NONE,
    /** It is not done, and fails. */
    REFUSED,
    /** It is done, and fails. */
    ANSWER_LOST,
    /** It is done twice; the caller gets the second answer. */
    REPEATED
  }

  private final ArchiveStore store;
  private final Deque<Fault> script = new ArrayDeque<>();
  private long operations;
  private long operationsMax = Long.MAX_VALUE;
  private @Nullable CountDownLatch hang;
  private @Nullable Action after;
  private String afterPrefix = "";
  private String refusedEnd = "";
  private Consumer<String> unfinished = _ -> {};
  private final CountDownLatch hanging = new CountDownLatch(1);

  FaultyStore(ArchiveStore store) {
    this.store = store;
  }

  synchronized void then(List<Fault> faults) {
    script.addAll(faults);
  }

  /** From now on, no entry whose name has an end is added; with an empty text, all are. */
  synchronized void refuse(String end) {
    refusedEnd = end;
  }

  private synchronized boolean isRefused(String name) {
    return !refusedEnd.isEmpty() && name.endsWith(refusedEnd);
  }

  /** Notes which names {@link #deleteUnfinished} is called with. */
  synchronized void onDeleteUnfinished(Consumer<String> noted) {
    unfinished = noted;
  }

  @Override
  public synchronized void deleteUnfinished(String prefix) {
    unfinished.accept(prefix);
  }

  /** After this number of operations the store is gone. */
  synchronized void dieAfter(long count) {
    operationsMax = operations + count;
  }

  /** From now on no operation ends before the latch is open. */
  synchronized void hangUntil(CountDownLatch latch) {
    hang = latch;
  }

  /** Waits until an operation hangs. */
  void awaitHanging() throws InterruptedException {
    hanging.await();
  }

  /** Something that another runtime does. */
  interface Action {
    void run() throws IOException;
  }

  /** Does something, once, when the next entry with a prefix was added. */
  synchronized void afterNext(Action action, String prefix) {
    after = action;
    afterPrefix = prefix;
  }

  private synchronized @Nullable Action actionAfter(String name) {
    Action action = name.startsWith(afterPrefix) ? after : null;
    after = action == null ? after : null;
    return action;
  }

  private interface Operation<T> {
    T run() throws IOException;
  }

  private <T> T run(Operation<T> operation) throws IOException {
    Fault fault;
    CountDownLatch latch;
    synchronized (this) {
      fault = operations++ < operationsMax ? script.isEmpty() ? Fault.NONE : script.remove() : null;
      latch = hang;
    }
    if (latch != null) {
      hanging.countDown();
      try {
        latch.await();
      } catch (InterruptedException e) {
        throw new IOException("interrupted", e);
      }
    }
    if (fault == null || fault == Fault.REFUSED) {
      throw new IOException("503");
    }
    T result = operation.run();
    if (fault == Fault.REPEATED) {
      result = operation.run();
    }
    if (fault == Fault.ANSWER_LOST) {
      throw new IOException("connection reset");
    }
    return result;
  }

  @Override
  public boolean putIfAbsent(String name, ArchiveContent content) throws IOException {
    if (isRefused(name)) {
      throw new IOException("503");
    }
    boolean isAdded = run(() -> store.putIfAbsent(name, content));
    Action action = actionAfter(name);
    if (action != null) {
      action.run();
    }
    return isAdded;
  }

  @Override
  public @Nullable InputStream open(String name) throws IOException {
    return run(() -> store.open(name));
  }

  @Override
  public List<ArchiveEntry> list(String prefix, String after, int limit) throws IOException {
    return run(() -> store.list(prefix, after, limit));
  }

  @Override
  public void delete(String name) throws IOException {
    run(
        () -> {
          store.delete(name);
          return true;
        });
  }

  @Override
  public String toString() {
    return store.toString();
  }
}
