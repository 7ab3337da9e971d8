package dev.holdfast.backend.sqlite.catalog;

import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backend.sqlite.SqliteHost;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.AlarmRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;

/**
 * Compares the index of alarms with a model: objects with no, one or several alarms, which are
 * written to the index one by one or many at once, and again after crashes.
 */
class CatalogModelTest {

  private static final int OBJECTS = 3;
  private static final int STEPS = 60;
  private static final List<String> NAMES = List.of(AlarmRecord.OWN, "b", "c");

  private final Map<Integer, List<AlarmRecord>> model = new HashMap<>();
  private Path root;

  @BeforeTry
  void makeDirectory() throws IOException {
    model.clear();
    root = java.nio.file.Files.createTempDirectory("catalog");
  }

  @AfterTry
  void deleteDirectory() throws IOException {
    try (var paths = java.nio.file.Files.walk(root)) {
      for (Path each : paths.sorted(java.util.Comparator.reverseOrder()).toList()) {
        java.nio.file.Files.delete(each);
      }
    }
  }

  @Property(tries = 40)
  void indexSaysWhatTheObjectsSay(@ForAll @LongRange(min = 0) long seed) {
    Random random = new Random(seed);
    try (SqliteHost host = new SqliteHost(root, 2)) {
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(12)) {
          case 0 -> assertIndexIsRight(host);
          case 1 -> host.restart();
          case 2 -> host.crashAt(host.journal.lastPosition());
          default -> change(host, 1 + random.nextInt(OBJECTS), random);
        }
      }
      assertIndexIsRight(host);
    }
  }

  private void change(SqliteHost host, int number, Random random) {
    List<AlarmRecord> alarms = new ArrayList<>(model.getOrDefault(number, List.of()));
    // Mostly the object's own alarm: that is the short path through the index.
    String name = NAMES.get(Math.max(0, random.nextInt(6) - 3));
    alarms.removeIf(each -> each.name().equals(name));
    if (random.nextInt(3) > 0) {
      alarms.add(AlarmRecord.once(name, random.nextInt(1_000)));
    }
    commit(host.store(number), turn -> turn.setAlarms(alarms));
    model.put(number, alarms);
  }

  private void assertIndexIsRight(SqliteHost host) {
    host.journal.makeAllDurable();
    List<AlarmEntry> expected = new ArrayList<>();
    model.forEach(
        (number, alarms) ->
            alarms.forEach(alarm -> expected.add(new AlarmEntry(object(number), alarm))));
    assertThat(
            host.backend
                .catalog()
                .alarms(
                    new AlarmQuery(
                        object(1).namespace(),
                        AlarmRecord.State.PENDING,
                        null,
                        Long.MAX_VALUE,
                        1_000)))
        .containsExactlyInAnyOrderElementsOf(expected);
  }
}
