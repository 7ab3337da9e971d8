package dev.holdfast.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.TimeSource;
import dev.holdfast.conformance.Verdict.Outcome;
import dev.holdfast.conformance.host.RuntimeHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The recordings of the reference runtime, replayed: on one machine, or on the runtime of the class
 * that the system property {@code holdfast.test.opening} names, as the tests of the public API.
 */
final class ConformanceTest {

  private static final Path RECORDINGS = Path.of("src", "test", "resources", "conformance");

  /** Recorded by us from the same runtime: what deviates on purpose, and no other case shows. */
  private static final Path DEVIATING = Path.of("src", "test", "resources", "deviations");

  /** Not recorded, but certain from its source or its JavaScript engine. */
  private static final Path DERIVED = Path.of("src", "test", "resources", "derived");

  private static List<Verdict> verdicts = List.of();

  @BeforeAll
  static void replay() throws IOException {
    List<Path> recordings = List.of(RECORDINGS, DEVIATING, DERIVED);
    String opening = System.getProperty("holdfast.test.opening");
    verdicts =
        opening == null
            ? ConformanceCommand.run(recordings)
            : ConformanceCommand.run(recordings, data -> open(opening, data));
  }

  private static ObjectRuntime open(String opening, Path data) {
    try {
      Consumer<ObjectRegistrar> objects = RuntimeHost::register;
      return (ObjectRuntime)
          Class.forName(opening)
              .getMethod("open", Path.class, TimeSource.class, Consumer.class)
              .invoke(null, data, null, objects);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void everythingIsAsRecordedOrDeviatesOnPurpose() {
    assertThat(verdicts).hasSizeGreaterThan(900);
    assertThat(verdicts)
        .filteredOn(verdict -> verdict.outcome() == Outcome.FAILED && !isOfNodes(verdict))
        .isEmpty();
  }

  /** From another node, the exception of an application comes with its class as a text. */
  private static boolean isOfNodes(Verdict verdict) {
    return System.getProperty("holdfast.test.opening") != null
        && verdict.name().equals("exception in blockConcurrencyWhile resets");
  }

  @Test
  void everyDeviationIsNeeded() {
    Set<String> reasons =
        verdicts.stream().flatMap(each -> each.reasons().stream()).collect(Collectors.toSet());

    assertThat(Deviations.load().rules()).extracting(Deviations.Rule::id).isSubsetOf(reasons);
  }

  @Test
  void everyDeviationIsExplained() throws IOException {
    String explained = Files.readString(Path.of("..", "..", "docs", "conformance.md"));

    for (Deviations.Rule rule : Deviations.load().rules()) {
      assertThat(explained).contains("`" + rule.id() + "`");
      assertThat(rule.reason()).isNotBlank();
    }
  }
}
