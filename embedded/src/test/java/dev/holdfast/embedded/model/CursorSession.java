package dev.holdfast.embedded.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectContext;
import dev.holdfast.SqlException;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.sql.SqlCursor;
import dev.holdfast.sql.SqlRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An object whose single event runs the steps of a test, and the expected results of cursors over
 * its table. Confined to the thread of the test.
 */
final class CursorSession implements AutoCloseable {

  private static final String TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, v)";
  private static final String SCAN = "SELECT id, v FROM t";
  private static final int CURSORS_MAX = 6;

  /** An object that has one long event. */
  public interface Room {

    /** Runs the steps of a queue until one of them ends it. */
    void stay(long queue);
  }

  /** A step of the event. */
  private record Step(
      Consumer<ObjectContext> work, CompletableFuture<@Nullable Void> done, boolean isLast) {}

  private static final Map<Long, LinkedBlockingQueue<Step>> QUEUES =
      new java.util.concurrent.ConcurrentHashMap<>();

  /** The object. */
  static final class RoomObject implements Room {

    private final ObjectContext context;

    RoomObject(ObjectContext context) {
      this.context = context;
    }

    @Override
    public void stay(long queue) {
      boolean isLast = false;
      while (!isLast) {
        Step step = next(queue);
        isLast = step.isLast;
        try {
          step.work.accept(context);
          step.done.complete(null);
        } catch (RuntimeException | Error e) {
          step.done.completeExceptionally(e);
          if (isLast) {
            throw e;
          }
        }
      }
    }

    private static Step next(long queue) {
      try {
        return QUEUES.get(queue).take();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** A cursor, and its expected results. */
  private static final class Modelled {

    private final SqlCursor cursor;

    /** The next row; null at the end. */
    private Map.@Nullable Entry<Long, Long> ahead;

    /** The rows that a wait has loaded into memory; null while the statement runs. */
    private @Nullable List<Map.Entry<Long, Long>> kept;

    /** Whether reading on fails: the statement was stopped with rows left. */
    private boolean isStopped;

    Modelled(SqlCursor cursor, Map.@Nullable Entry<Long, Long> first) {
      this.cursor = cursor;
      this.ahead = first;
    }

    boolean runs() {
      return ahead != null && kept == null && !isStopped;
    }
  }

  private final Room room;
  private final long queue;
  private final List<Modelled> cursors = new ArrayList<>();
  private TreeMap<Long, Long> rows = new TreeMap<>();

  /** The rows as the last turn that was sealed left them. */
  private TreeMap<Long, Long> sealed = new TreeMap<>();

  private @Nullable CompletableFuture<@Nullable Void> event;
  private long values;
  private int tables;

  CursorSession(Room room) {
    this.room = room;
    this.queue = System.identityHashCode(this);
    QUEUES.put(queue, new LinkedBlockingQueue<>());
    inEvent(context -> context.storage().sql().exec(TABLE));
    sync();
  }

  // ---- Reading ------------------------------------------------------------------------------

  void openCursor() {
    if (cursors.size() == CURSORS_MAX) {
      cursors.removeFirst();
    }
    inEvent(context -> cursors.add(opened(context)));
  }

  private Modelled opened(ObjectContext context) {
    SqlCursor cursor = context.storage().sql().exec(SCAN);
    return new Modelled(cursor, copy(rows.firstEntry()));
  }

  void next(int number) {
    on(number, this::takeOne);
  }

  private void takeOne(Modelled each) {
    Map.Entry<Long, Long> expected = each.ahead;
    if (expected == null) {
      assertThatExceptionOfType(each.isStopped ? SqlException.class : NoSuchElementException.class)
          .isThrownBy(each.cursor::next);
    } else if (each.isStopped) {
      // The row after it cannot be read, so neither can this one.
      each.ahead = null;
      assertThatExceptionOfType(SqlException.class).isThrownBy(each.cursor::next);
    } else {
      each.ahead = following(each, expected);
      assertThat(pair(each.cursor.next())).isEqualTo(expected);
    }
  }

  private Map.@Nullable Entry<Long, Long> following(Modelled each, Map.Entry<Long, Long> row) {
    List<Map.Entry<Long, Long>> taken = each.kept;
    if (taken != null) {
      return taken.isEmpty() ? null : taken.removeFirst();
    }
    return copy(rows.higherEntry(row.getKey()));
  }

  void hasNext(int number) {
    on(
        number,
        each -> {
          if (each.isStopped && each.ahead == null) {
            assertThatExceptionOfType(SqlException.class).isThrownBy(each.cursor::hasNext);
          } else {
            assertThat(each.cursor.hasNext()).isEqualTo(each.ahead != null);
          }
        });
  }

  void toList(int number) {
    on(
        number,
        each -> {
          if (each.isStopped) {
            each.ahead = null;
            assertThatExceptionOfType(SqlException.class).isThrownBy(each.cursor::toList);
          } else {
            assertThat(each.cursor.toList().stream().map(CursorSession::pair).toList())
                .isEqualTo(remaining(each));
          }
        });
  }

  private List<Map.Entry<Long, Long>> remaining(Modelled each) {
    List<Map.Entry<Long, Long>> all = new ArrayList<>();
    while (each.ahead != null) {
      all.add(each.ahead);
      each.ahead = following(each, each.ahead);
    }
    return all;
  }

  void one(int number) {
    on(
        number,
        each -> {
          boolean stopped = each.isStopped;
          List<Map.Entry<Long, Long>> left = stopped ? List.of() : remaining(each);
          each.ahead = null;
          if (left.size() == 1) {
            assertThat(pair(each.cursor.one())).isEqualTo(left.getFirst());
          } else {
            assertThatExceptionOfType(SqlException.class).isThrownBy(each.cursor::one);
          }
        });
  }

  // ---- Writing ------------------------------------------------------------------------------

  void put(long id) {
    inEvent(context -> put(context, id));
  }

  private void put(ObjectContext context, long id) {
    values++;
    context.storage().sql().exec("INSERT OR REPLACE INTO t VALUES (?, ?)", id, values);
    rows.put(id, values);
  }

  void delete(long id) {
    inEvent(
        context -> {
          context.storage().sql().exec("DELETE FROM t WHERE id = ?", id);
          rows.remove(id);
        });
  }

  /** Reads and writes in a transaction, which ends one way or the other. */
  void transaction(long id, boolean rollsBack) {
    inEvent(
        context -> {
          TreeMap<Long, Long> before = new TreeMap<>(rows);
          // A transaction is a critical section: entering it is a wait.
          waited();
          context
              .storage()
              .transaction(
                  transaction -> {
                    put(context, id);
                    Modelled inside = opened(context);
                    takeOne(inside);
                    cursors.add(inside);
                    if (rollsBack) {
                      transaction.rollback();
                    }
                    return 1;
                  });
          if (rollsBack) {
            rows = before; // which cursors go on with
          }
          // Leaving it is a wait as well.
          waited();
        });
  }

  void createTable() {
    String name = "other" + tables++;
    inEvent(context -> context.storage().sql().exec("CREATE TABLE " + name + " (x)"));
  }

  /** No table is dropped under a statement that reads it. */
  void dropTable() {
    inEvent(
        context -> {
          if (cursors.stream().anyMatch(Modelled::runs)) {
            assertThatExceptionOfType(SqlException.class)
                .isThrownBy(() -> context.storage().sql().exec("DROP TABLE t"))
                .withMessageContaining("locked");
          } else {
            context.storage().sql().exec("DROP TABLE t; " + TABLE);
            rows.clear();
          }
        });
  }

  void deleteAll() {
    inEvent(
        context -> {
          context.storage().deleteAll();
          context.storage().sql().exec(TABLE);
          rows.clear();
          stopAll();
        });
  }

  // ---- Turns --------------------------------------------------------------------------------

  void await() {
    inEvent(
        context -> {
          context.await(CompletableFuture.completedFuture(1));
          waited();
        });
  }

  void sync() {
    inEvent(
        context -> {
          context.storage().sync();
          waited();
        });
  }

  /** A wait loads the remaining rows of each cursor into memory. */
  private void waited() {
    sealed = new TreeMap<>(rows);
    for (Modelled each : cursors) {
      if (each.runs()) {
        long from = java.util.Objects.requireNonNull(each.ahead).getKey();
        List<Map.Entry<Long, Long>> taken = new ArrayList<>();
        rows.tailMap(from, false)
            .entrySet()
            .forEach(row -> taken.add(Map.entry(row.getKey(), row.getValue())));
        each.kept = taken;
      }
    }
  }

  void endEvent() {
    if (event != null) {
      submit(context -> {}, /* isLast= */ true).join();
      event.join();
      event = null;
      sealed = new TreeMap<>(rows);
      stopAll();
    }
  }

  /** Writes since the last wait are lost; cursors of the instance are unusable. */
  void reset() {
    CompletableFuture<@Nullable Void> done =
        submit(
            context -> {
              throw context.abort("a test");
            },
            /* isLast= */ true);
    assertThat(done).failsWithin(10, TimeUnit.MINUTES);
    assertThat(event)
        .failsWithin(10, TimeUnit.MINUTES)
        .withThrowableThat()
        .withCauseInstanceOf(InstanceResetException.class);
    event = null;
    rows = new TreeMap<>(sealed);
    List<Modelled> dead = new ArrayList<>(cursors);
    cursors.clear();
    inEvent(
        context ->
            dead.forEach(
                each ->
                    assertThatExceptionOfType(
                            each.ahead != null
                                ? MisuseException.class
                                : each.isStopped
                                    ? SqlException.class
                                    : NoSuchElementException.class)
                        .isThrownBy(each.cursor::next)));
  }

  private void stopAll() {
    for (Modelled each : cursors) {
      each.isStopped |= each.runs();
    }
  }

  @Override
  public void close() {
    try {
      endEvent();
    } finally {
      QUEUES.remove(queue);
    }
  }

  // ---- The event ----------------------------------------------------------------------------

  private void on(int number, Consumer<Modelled> work) {
    if (!cursors.isEmpty()) {
      Modelled chosen = cursors.get(number % cursors.size());
      inEvent(context -> work.accept(chosen));
    }
  }

  private void inEvent(Consumer<ObjectContext> work) {
    try {
      submit(work, /* isLast= */ false).orTimeout(10, TimeUnit.MINUTES).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e;
    }
  }

  private CompletableFuture<@Nullable Void> submit(Consumer<ObjectContext> work, boolean isLast) {
    if (event == null) {
      event =
          CompletableFuture.runAsync(
              () -> room.stay(queue), task -> Thread.ofVirtual().start(task));
    }
    CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
    QUEUES.get(queue).add(new Step(work, done, isLast));
    return done;
  }

  private static Map.Entry<Long, Long> pair(SqlRow row) {
    return Map.entry(row.getLong("id"), row.getLong("v"));
  }

  private static Map.@Nullable Entry<Long, Long> copy(Map.@Nullable Entry<Long, Long> entry) {
    return entry == null ? null : Map.entry(entry.getKey(), entry.getValue());
  }
}
