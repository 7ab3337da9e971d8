package dev.holdfast.system.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.sql.SqlMigration;
import dev.holdfast.storage.MissedRuns;
import dev.holdfast.storage.ObjectStorage;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A data directory of a whole runtime of an earlier build of these formats, on both engines: with
 * names, migrations, the alarm, named alarms and schedules, completed restores and a requested one.
 * This build opens it, does the requested restore and restores every remembered state. {@code
 * -Dholdfast.golden.write=DIRECTORY} writes a new one, for a new version of a format.
 */
class GoldenRuntimeTest {

  private static final String NAME = "runtime-2.zip";
  private static final String MOMENTS = "moments.txt";
  private static final Instant FAR_AWAY = Instant.parse("2090-01-01T00:00:00Z");
  private static final int STEPS = 12;

  private static final String TABLES =
      "CREATE TABLE IF NOT EXISTS entry (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL);"
          + " CREATE INDEX IF NOT EXISTS entry_text ON entry (text)";

  @TempDir private Path directory;

  /** What changes step by step. */
  interface Ledger {

    /** Makes a change and returns a bookmark of the state after it. */
    String step(int number);

    /** Returns the whole content of the object. */
    String content();

    /** Requests a restore and returns its undo. */
    String restoreNext(String bookmark);
  }

  /** The object of both engines. */
  record LedgerObject(ObjectStorage storage, boolean hasSql) implements Ledger, AlarmHandler {

    @Override
    public String step(int number) {
      storage.put("step", number);
      storage.put("key " + number % 5, "x".repeat(number * 50));
      storage.delete("key " + (number + 2) % 5);
      storage.setAlarm(FAR_AWAY.plusSeconds(number));
      switch (number % 4) {
        case 0 ->
            storage.schedules().every("every", Duration.ofDays(900 + number), MissedRuns.SKIP);
        case 1 -> storage.schedules().cron("cron", "0 0 1 1 *", ZoneOffset.UTC, MissedRuns.ONCE);
        case 2 -> storage.schedules().at("named", FAR_AWAY.plusSeconds(100 + number));
        default -> storage.schedules().cancel("every");
      }
      if (hasSql) {
        storage.sql().exec(TABLES); // deleteAll drops them
        storage.sql().exec("INSERT INTO entry (text) VALUES (?)", "entry " + number);
        storage.sql().exec("DELETE FROM entry WHERE id = ?", number / 2);
      }
      if (number == 7) {
        storage.deleteAll();
      }
      return storage.getCurrentBookmark();
    }

    @Override
    public String content() {
      StringBuilder text = new StringBuilder();
      storage
          .list(Object.class)
          .forEach((key, value) -> text.append(key).append('=').append(value).append(';'));
      text.append(storage.getAlarm());
      for (String name : storage.schedules().names()) {
        text.append(';').append(name).append(storage.schedules().next(name));
      }
      if (hasSql
          && !storage
              .sql()
              .exec("SELECT name FROM sqlite_schema WHERE name = 'entry'")
              .toList()
              .isEmpty()) {
        storage
            .sql()
            .exec("SELECT * FROM entry ORDER BY id")
            .forEach(row -> text.append(';').append(row.values()));
      }
      return Integer.toHexString(text.toString().hashCode());
    }

    @Override
    public String restoreNext(String bookmark) {
      return storage.onNextSessionRestoreBookmark(bookmark);
    }

    @Override
    public void alarm(AlarmInfo alarm) {}
  }

  private static ObjectRuntime open(Path data, VirtualClock clock) {
    NamespaceOptions options = NamespaceOptions.DEFAULT.withIdleTimeout(Duration.ofDays(99));
    return Holdfast.open(
        data,
        clock,
        objects ->
            objects
                .namespace(
                    "SQLITE",
                    Ledger.class,
                    (ObjectContext context) -> new LedgerObject(context.storage(), true),
                    options
                        .withStorage(StorageKind.SQLITE)
                        .withMigrations(List.of(new SqlMigration("entries", TABLES))))
                .namespace(
                    "ROCKSDB",
                    Ledger.class,
                    (ObjectContext context) -> new LedgerObject(context.storage(), false),
                    options.withStorage(StorageKind.ROCKSDB)));
  }

  private static Ledger ledger(ObjectRuntime runtime, String namespace, String name) {
    return runtime.namespace(namespace, Ledger.class).getByName(name);
  }

  private static ObjectRecovery past(ObjectRuntime runtime, String namespace) {
    return runtime.recovery(namespace, runtime.namespace(namespace, Ledger.class).idFromName("a"));
  }

  @Test
  void oldRuntimeIsOpenedAndItsStatesComeBack() throws IOException {
    Path data = directory.resolve("data");
    String target = System.getProperty("holdfast.golden.write");
    if (target != null) {
      write(directory.resolve("written"));
      GoldenZip.pack(directory.resolve("written"), Path.of(target).resolve(NAME));
    }
    try (InputStream zip =
        target != null
            ? Files.newInputStream(Path.of(target).resolve(NAME))
            : Objects.requireNonNull(GoldenRuntimeTest.class.getResourceAsStream(NAME))) {
      GoldenZip.unpack(zip, data);
    }
    List<String> moments = Files.readAllLines(data.resolve(MOMENTS));
    assertThat(moments).hasSizeGreaterThan(2 * STEPS);
    VirtualClock clock = new VirtualClock();
    clock.advance(Duration.ofDays(1));
    String last = "";
    String expected = "";
    try (ObjectRuntime runtime = open(data, clock)) {
      int fork = 0;
      for (String moment : moments) {
        String[] words = moment.split(" ", -1);
        Ledger found = ledger(runtime, words[0], "a");
        if (!words[1].equals("pending")) {
          past(runtime, words[0]).fork(words[1], "fork " + fork);
          found = ledger(runtime, words[0], "fork " + fork++);
          last = words[1];
          expected = words[2];
        }
        assertThat(found.content()).as(moment).isEqualTo(words[2]);
      }
      assertThat(past(runtime, "SQLITE").restorations()).hasSize(3);
      assertThat(past(runtime, "ROCKSDB").history(99).entries()).hasSize(STEPS + 3);
      past(runtime, "ROCKSDB").restoreOnNextSession(last);
    }
    try (ObjectRuntime runtime = open(data, clock)) {
      assertThat(ledger(runtime, "ROCKSDB", "a").content()).isEqualTo(expected);
    }
  }

  /** Writes a directory whose opening restores both objects. */
  private static void write(Path data) throws IOException {
    VirtualClock clock = new VirtualClock();
    List<String> moments = new ArrayList<>();
    try (ObjectRuntime runtime = open(data, clock)) {
      for (String namespace : List.of("SQLITE", "ROCKSDB")) {
        Ledger ledger = ledger(runtime, namespace, "a");
        for (int step = 0; step < STEPS; step++) {
          clock.advance(Duration.ofSeconds(1));
          moments.add(namespace + " " + ledger.step(step) + " " + ledger.content());
        }
      }
    }
    for (int restore = 0; restore < 3; restore++) {
      try (ObjectRuntime runtime = open(data, clock)) {
        for (String namespace : List.of("SQLITE", "ROCKSDB")) {
          String wanted =
              moments.stream()
                  .filter(each -> each.startsWith(namespace))
                  .skip(3 + 2L * restore)
                  .findFirst()
                  .orElseThrow();
          String present = ledger(runtime, namespace, "a").content();
          String undo = ledger(runtime, namespace, "a").restoreNext(wanted.split(" ", -1)[1]);
          moments.add(namespace + " " + undo + " " + present);
          if (restore == 2) {
            moments.addFirst(namespace + " pending " + wanted.split(" ", -1)[2]);
          }
        }
      }
    }
    Files.write(data.resolve(MOMENTS), moments);
  }
}
