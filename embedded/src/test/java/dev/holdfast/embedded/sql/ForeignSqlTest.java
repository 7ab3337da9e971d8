package dev.holdfast.embedded.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.TestProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The resources that foreign statements take of a process, under {@code SqlLimits.FOREIGN}. */
final class ForeignSqlTest {

  private static final Pattern TOOK =
      Pattern.compile("(\\d+) took (\\d+) ms (\\d+) MiB (\\d+) MiB of files: (.*)", Pattern.DOTALL);

  private static final boolean IS_LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int STATEMENTS = ForeignStatements.statements(1 << 14).size();
  private static final long MILLIS_MAX = 2_000;

  @TempDir private Path root;

  /** What a statement took. */
  private record Taken(int number, long millis, long memory, long files, String line) {

    static Taken of(String line) {
      Matcher matcher = TOOK.matcher(line);
      assertThat(matcher.matches()).as(line).isTrue();
      return new Taken(
          Integer.parseInt(matcher.group(1)),
          Long.parseLong(matcher.group(2)),
          Long.parseLong(matcher.group(3)),
          Long.parseLong(matcher.group(4)),
          line);
    }

    boolean isBeyond(long millisMax) {
      return millis > millisMax
          || memory > ForeignStatements.MEBIBYTES_MAX
          || files > ForeignStatements.MEBIBYTES_OF_FILES_MAX;
    }
  }

  /** Times are asserted in long runs only: other runs share the machine. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void attackTakesNoMoreThanPromised() throws Exception {
    int every = IS_LONG ? 1 : 4;

    List<Taken> taken = run("64m", "FOREIGN", IS_LONG ? "PT1S" : "PT0.2S", every);

    assertThat(taken)
        .filteredOn(each -> each.isBeyond(IS_LONG ? MILLIS_MAX : Long.MAX_VALUE))
        .isEmpty();
    report("under FOREIGN none of %d statements took more than its bounds", taken.size());
  }

  /** The same through both operations, one after the other, on objects without limits. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void attackByAnOperatorTakesNoMoreThanPromised() throws Exception {
    int every = IS_LONG ? 1 : 5;

    List<Taken> taken = run("64m", "OPERATOR", "PT1S", every);

    assertThat(taken)
        .filteredOn(each -> each.isBeyond(IS_LONG ? 2 * MILLIS_MAX : Long.MAX_VALUE))
        .isEmpty();
    report("for an operator none of %d statements took more than its bounds", taken.size());
  }

  /**
   * A set of attacks that finds nothing without the limits would prove nothing. Short runs contain
   * only attacks that a reset stops: ending a process for one takes a second.
   */
  @Test
  @EnabledOnOs(OS.LINUX)
  void mostAttacksTakeMoreWithoutTheLimits() throws Exception {
    long millisMax = IS_LONG ? MILLIS_MAX : 200;

    List<Taken> taken =
        run("256m", "OFF", Duration.ofMillis(millisMax).toString(), IS_LONG ? 1 : 19);

    List<Taken> within = taken.stream().filter(each -> !each.isBeyond(millisMax)).toList();
    report(
        "without limits %d of %d statements took more than the bounds",
        taken.size() - within.size(), taken.size());
    assertThat(within).as("of %d", taken.size()).hasSizeLessThan(taken.size() / 2);
  }

  private static void report(String form, Object... values) {
    if (IS_LONG) {
      System.out.println("ForeignSqlTest: " + String.format(form, values));
    }
  }

  /** Runs the set; if the process ends within a statement, another continues after it. */
  private List<Taken> run(String heap, String limits, String time, int every) throws Exception {
    List<Taken> taken = new ArrayList<>();
    int from = 0;
    for (boolean isDone = false; !isDone; ) {
      Path directory = root.resolve("data" + from);
      List<String> said =
          TestProcess.of(
                  ForeignStatements.class,
                  directory.toString(),
                  limits,
                  time,
                  "" + every,
                  "" + from)
              // The whole heap from the beginning: the measurement is the memory outside it.
              .options("-Xms" + heap, "-Xmx" + heap, "-XX:+AlwaysPreTouch")
              .run();
      isDone = said.getLast().equals(ForeignStatements.DONE);
      said.stream().filter(line -> TOOK.matcher(line).matches()).map(Taken::of).forEach(taken::add);
      assertThat(taken).as("%s", said).isNotEmpty();
      int next = taken.getLast().number() + 1;
      assertThat(isDone || next > from).as("%s", said).isTrue();
      from = next;
    }
    assertThat(taken).hasSize((STATEMENTS + every - 1) / every);
    return taken;
  }
}
