package dev.holdfast.embedded.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.model.BackedUpRuntime.Numbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that store the numbers 1, 2, 3, ... in objects of both storage engines, and remember when
 * each call began and was answered. A prefix of the journal has, of each writer, all numbers up to
 * one; and with a number all that were answered before its call began.
 */
final class Writers {

  private static final int WRITERS = 3;
  private static final int SQL_OBJECTS = 10;
  private static final int PAIRS_OBJECTS = 3;
  private static final int NUMBERS_MAX = 20_000;
  private static final int FILLING_MAX = 4_000;
  private static final long NEVER = Long.MAX_VALUE;

  private final boolean withPairs;
  private final Semaphore stored = new Semaphore(0);
  private final AtomicLong clock = new AtomicLong();
  private final long[][] begun = new long[WRITERS][NUMBERS_MAX + 1];
  private final long[][] answered = new long[WRITERS][NUMBERS_MAX + 1];
  private final int[] started = new int[WRITERS];
  private final List<Thread> threads = new ArrayList<>();

  private volatile boolean stopped;

  Writers(boolean withPairs) {
    this.withPairs = withPairs;
  }

  /** {@return the time, in calls and answers} */
  long now() {
    return clock.incrementAndGet();
  }

  void start(ObjectRuntime runtime) {
    stopped = false;
    for (int writer = 0; writer < WRITERS; writer++) {
      int number = writer;
      threads.add(Thread.ofPlatform().start(() -> write(runtime, number)));
    }
  }

  private void write(ObjectRuntime runtime, int writer) {
    Random random = new Random(writer);
    try {
      while (!stopped && started[writer] < NUMBERS_MAX) {
        int number = ++started[writer];
        answered[writer][number] = NEVER;
        begun[writer][number] = now();
        object(runtime, place(writer, number))
            .store(writer, number, "x".repeat(random.nextInt(FILLING_MAX)));
        answered[writer][number] = now();
        stored.release();
      }
    } catch (HoldfastException e) {
      stopped = true; // the power was cut: the last number may be there or not
    } finally {
      stored.release(NUMBERS_MAX); // nobody waits for a writer that has ended
    }
  }

  /** {@return the object that gets a number} */
  private int place(int writer, int number) {
    int objects = SQL_OBJECTS + (withPairs ? PAIRS_OBJECTS : 0);
    return Math.floorMod(31 * number + 7 * writer + number / 5, objects);
  }

  private static Numbers object(ObjectRuntime runtime, int place) {
    String namespace = place < SQL_OBJECTS ? BackedUpRuntime.SQL : BackedUpRuntime.PAIRS;
    return runtime.namespace(namespace, Numbers.class).getByName("object-" + place);
  }

  /** Waits until more numbers were stored. */
  void awaitStored(int count) {
    stored.acquireUninterruptibly(count);
  }

  void stop() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join();
    }
    threads.clear();
    stored.drainPermits();
  }

  /**
   * Checks that a runtime has one prefix of the journal.
   *
   * @param from everything answered before this time must be there
   * @param to nothing that began after this time may be there
   */
  void requirePrefix(ObjectRuntime runtime, long from, long to) {
    int[] ends = new int[WRITERS];
    long lastBegun = from;
    for (int writer = 0; writer < WRITERS; writer++) {
      ends[writer] = requirePrefix(runtime, writer);
      if (ends[writer] > 0) {
        long time = begun[writer][ends[writer]];
        assertThat(time).as("writer %d has number %d", writer, ends[writer]).isLessThan(to);
        lastBegun = Math.max(lastBegun, time);
      }
    }
    for (int writer = 0; writer < WRITERS; writer++) {
      for (int number = ends[writer] + 1; number <= started[writer]; number++) {
        assertThat(answered[writer][number])
            .as("number %d of writer %d, which ends at %d", number, writer, ends[writer])
            .isGreaterThan(lastBegun);
      }
    }
  }

  /** {@return the number up to which the runtime has all of a writer, and no later one} */
  private int requirePrefix(ObjectRuntime runtime, int writer) {
    int objects = SQL_OBJECTS + (withPairs ? PAIRS_OBJECTS : 0);
    int[] lasts = new int[objects];
    int end = 0;
    for (int place = 0; place < objects; place++) {
      lasts[place] = object(runtime, place).last(writer);
      end = Math.max(end, lasts[place]);
    }
    int[] expected = new int[objects];
    for (int number = 1; number <= end; number++) {
      expected[place(writer, number)] = number;
    }
    assertThat(lasts).as("the objects' numbers of writer %d", writer).isEqualTo(expected);
    return end;
  }
}
