package dev.holdfast.alarms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.AlarmStatus;
import dev.holdfast.ObjectContext;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.statistics.AlarmStatistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random programs of set, delete, elapsed time, clocks that jump in both directions (between turns,
 * while handlers run, while the runtime is closed, and by years for a moment), handlers that fail,
 * crashes and restarts, against a model: each confirmed alarm fires; none fires early, after it was
 * deleted, or twice, except when a crash undid its removal.
 */
final class AlarmModelTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int PROGRAMS = LONG ? 1_000 : 20;
  private static final int STEPS = 50;
  private static final Duration FAR = Duration.ofDays(3_650);

  @Test
  void everyConfirmedAlarmFiresAndNoOther() {
    for (int seed = 0; seed < PROGRAMS; seed++) {
      try (AlarmHost host = new AlarmHost()) {
        new Program(host, new Random(seed), "seed " + seed).run();
      }
    }
  }

  private static final class Program {
    private final AlarmHost host;
    private final Random random;
    private final String what;

    /** The confirmed alarm of each object. */
    private final Map<String, Long> expected = new TreeMap<>();

    private final List<String> firedForModel = new ArrayList<>();
    private final Map<String, Integer> failures = new TreeMap<>();

    /** The seconds by which the clock jumps the next time the handler of an object runs. */
    private final Map<String, Integer> jumps = new TreeMap<>();

    /**
     * How often each object's handler was run, including failed runs: a failure keeps the writes.
     */
    private final Map<String, Long> runs = new TreeMap<>();

    Program(AlarmHost host, Random random, String what) {
      this.host = host;
      this.random = random;
      this.what = what;
      host.handler = this::handle;
    }

    private void handle(ObjectContext context, AlarmInfo info) {
      String name = context.id().name().orElseThrow();
      context.storage().put("runs", context.storage().get("runs", Long.class).orElse(0L) + 1);
      runs.merge(name, 1L, Long::sum);
      jump(Objects.requireNonNullElse(jumps.remove(name), 0));
      int left = failures.getOrDefault(name, 0);
      if (left > 0) {
        failures.put(name, left - 1);
        throw new IllegalStateException("told to fail");
      }
      firedForModel.add(name + "@" + AlarmHost.seconds(info.scheduledTime()));
    }

    void run() {
      for (int step = 0; step < STEPS; step++) {
        step();
        settle();
      }
      host.advance(10_000);
      settle();
      assertThat(expected).as(what).isEmpty();
      runs.forEach(
          (name, times) ->
              assertThat(host.call(name, context -> context.storage().get("runs", Long.class)))
                  .as("%s: what the handler of %s wrote", what, name)
                  .isEqualTo(Optional.of(times)));
    }

    private void step() {
      String name = "o" + random.nextInt(4);
      switch (random.nextInt(11)) {
        case 0, 1, 2 -> {
          long now = AlarmHost.seconds(host.clock.now());
          long second = now + random.nextInt(120);
          // The model is updated first: an alarm that is due now may fire at once.
          expected.put(name, second);
          host.set(name, second);
        }
        case 3 -> {
          host.call(
              name,
              context -> {
                context.storage().deleteAlarm();
                return null;
              });
          takeFired();
          expected.remove(name);
        }
        case 4 -> host.advance(random.nextInt(90));
        case 5 -> failures.put(name, random.nextInt(4));
        case 6 -> host.crash(() -> jump(random.nextBoolean() ? anyJump() : 0));
        case 7 -> host.downFor(random.nextInt(200));
        case 8 -> {
          jump(anyJump());
          host.advance(10);
        }
        case 9 -> jumps.put(name, anyJump());
        default -> {
          host.clock.setWallClock(host.clock.now().plus(FAR));
          host.advance(random.nextInt(30));
          takeFired();
          if (random.nextBoolean()) {
            host.clock.setWallClock(host.clock.now().minus(FAR));
            host.advance(10);
          } else {
            host.crash(() -> host.clock.setWallClock(host.clock.now().minus(FAR)));
          }
        }
      }
    }

    private int anyJump() {
      return random.nextInt(121) - 60;
    }

    private void jump(int seconds) {
      host.clock.setWallClock(host.clock.now().plusSeconds(seconds));
    }

    /**
     * Takes the alarms that have fired: each must have been expected at that time, or was made to
     * fail.
     */
    private void takeFired() {
      host.advance(0);
      assertThat(host.fired).as(what).noneMatch(text -> text.endsWith("early"));
      for (String fired : firedForModel) {
        String name = fired.substring(0, fired.indexOf('@'));
        @Nullable Long second = expected.remove(name);
        assertThat(name + "@" + second).as(what).isEqualTo(fired);
      }
      firedForModel.clear();
    }

    private void settle() {
      takeFired();
      long now = AlarmHost.seconds(host.clock.now());
      expected.forEach(
          (name, second) ->
              assertThat(host.get(name))
                  .as("%s: %s at %s, now %s", what, name, second, now)
                  .contains(second));
      requireCounts();
    }

    /** The counts are those of the index. */
    private void requireCounts() {
      List<AlarmStatus> pending = host.sleepers().alarms().pending(Optional.empty(), 1_000).items();
      AlarmStatistics counted = host.alarmStatistics();
      assertThat(counted.pending()).as(what).isEqualTo(pending.size());
      assertThat(counted.due())
          .as(what)
          .isEqualTo(
              pending.stream().filter(each -> !each.dueTime().isAfter(host.clock.now())).count());
    }
  }
}
