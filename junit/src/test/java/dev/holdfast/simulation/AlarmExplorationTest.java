package dev.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Alarms that fire while callers call. */
class AlarmExplorationTest {

  private static final boolean IS_LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final long[] ONE = {1};

  private interface Factory
      extends BiFunction<ObjectContext, Supplier<ObjectNamespace<Outbox>>, Digest> {}

  /** Callers add to a digest whose alarm fires later. */
  private static final class Digests implements Scenario {

    private final Factory factory;
    private final Duration time;
    private final List<String> added = new ArrayList<>();
    private ObjectNamespace<Outbox> outboxes;

    Digests(Factory factory) {
      this(factory, Digest.DELAY.multipliedBy(2));
    }

    Digests(Factory factory, Duration time) {
      this.factory = factory;
      this.time = time;
    }

    @Override
    public void register(ObjectRegistrar objects) {
      objects.namespace("outboxes", Outbox.class, Outbox.Stored::new);
      objects.namespace("digests", Digest.class, context -> factory.apply(context, () -> outboxes));
    }

    @Override
    public void run(Run run) throws Exception {
      outboxes = run.namespace("outboxes", Outbox.class);
      ObjectNamespace<Digest> digests = run.namespace("digests", Digest.class);
      add(digests, "first");
      run.together(() -> add(digests, "second"), () -> add(digests, "third"));
      run.pass(time);
    }

    private void add(ObjectNamespace<Digest> digests, String entry) {
      digests.getByName("ann").add(entry);
      added.add(entry);
    }

    @Override
    public void check(Run run) {
      outboxes = run.namespace("outboxes", Outbox.class);
      // In this order: the alarm may fire in between.
      List<String> known =
          new ArrayList<>(run.namespace("digests", Digest.class).getByName("ann").pending());
      known.addAll(outboxes.getByName("out").sent());
      assertThat(known).as("sent or pending").containsAll(added);
    }
  }

  @Test
  void rightDigestPasses() {
    Explorer.inMemory().explore(1, IS_LONG ? 1_000 : 20, () -> new Digests(Digest.Careful::new));
  }

  @Test
  void entryIsLostThatComesWhileTheHandlerCallsAnObject() {
    assertEntryIsLost(Digest.Hasty::new);
  }

  @Test
  void entryIsLostThatComesWhileTheHandlerWaitsForWorkOutside() {
    assertEntryIsLost(Digest.HastyOutside::new);
  }

  private static void assertEntryIsLost(Factory factory) {
    Supplier<Scenario> scenario = () -> new Digests(factory);
    for (long seed : IS_LONG ? LongStream.range(0, 20).map(each -> 1_000 * each).toArray() : ONE) {
      ExplorationFailure found =
          catchThrowableOfType(
              ExplorationFailure.class, () -> Explorer.inMemory().explore(seed, 50, scenario));
      assertThat(found).as("from seed " + seed).hasMessageContaining("sent or pending");
      assertThatThrownBy(() -> Explorer.inMemory().replay(found.seed(), found.step(), scenario))
          .hasMessage(found.getMessage());
    }
  }

  /** Longer than a thousand looks of the runtime at its objects. */
  @Test
  void hoursPass() {
    Explorer.inMemory().replay(1, 0, () -> new Digests(Digest.Careful::new, Duration.ofHours(6)));
  }
}
