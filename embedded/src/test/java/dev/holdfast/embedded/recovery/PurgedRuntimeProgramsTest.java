package dev.holdfast.embedded.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.BookmarkException;
import dev.holdfast.BookmarkException.Reason;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.archive.RestoreTarget.AtPosition;
import dev.holdfast.archive.RestoreTarget.Latest;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.faults.CopyAtRest;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random programs of whole runtimes: objects of both storage engines are changed, deleted,
 * restored, forked, exported, imported and purged; the runtime is backed up, archived, restored
 * from the archive, closed and killed, and its directory is restored to moments. A model remembers
 * what each object must be, and every state with its bookmark: it must come back, or be refused
 * because its history was purged.
 */
final class PurgedRuntimeProgramsTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int FIRST_SEED = Integer.getInteger("purge.seed", 1);
  private static final int SEEDS = Integer.getInteger("purge.runtimes", LONG ? 1_000 : 4);
  private static final int STEPS = 40;

  private static final List<String> NAMESPACES = List.of("tables", "pairs");
  private static final int OBJECTS = 2; // of each namespace
  private static final int REPLAYED = 3; // restores from the archive, and of all, at the end

  @TempDir private Path directory;

  @Test
  void everyStateComesBackOrIsRefused(TestReporter reporter) throws IOException {
    Map<String, Integer> counts = new TreeMap<>();
    for (int seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      Path place = Files.createDirectory(directory.resolve("seed-" + seed));
      Program program = new Program(place, seed, counts);
      try {
        program.run();
      } catch (RuntimeException | Error e) {
        throw new AssertionError("purge.seed=" + seed + ", after " + program.done, e);
      } finally {
        program.close();
      }
      delete(place);
    }
    reporter.publishEntry(counts.toString());
  }

  private static void delete(Path place) throws IOException {
    try (Stream<Path> files = Files.walk(place)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private record Moment(String bookmark, Instant time, Map<String, String> content) {}

  private static final class Model {
    final String namespace;
    final String name;
    Map<String, String> content = Map.of();
    final List<Moment> moments = new ArrayList<>();
    final List<Moment> gone = new ArrayList<>();
    @Nullable Map<String, String> pending;

    Model(String namespace, String name) {
      this.namespace = namespace;
      this.name = name;
    }

    @Override
    public String toString() {
      return namespace + "/" + name;
    }
  }

  /** What all objects were when the journal ended at a position. */
  private record Past(long position, Map<Model, Map<String, String>> contents) {}

  private static final class Program {
    private final Path place;
    private final Random random;
    private final Map<String, Integer> counts;
    private final VirtualClock clock = new VirtualClock();
    private final List<Model> models = new ArrayList<>();
    private final List<CompletableFuture<Void>> purges = new ArrayList<>();
    private final List<Past> pasts = new ArrayList<>();
    private final List<Past> archivedPasts = new ArrayList<>();
    private final boolean isArchived;
    final List<String> done = new ArrayList<>();

    private Path data;
    private int directories;
    private int forks;
    private int lastValue;
    private boolean isHeld;
    private @Nullable ObjectRuntime runtime;

    Program(Path place, int seed, Map<String, Integer> counts) {
      this.place = place;
      this.random = new Random(seed);
      this.counts = counts;
      this.data = next("data");
      this.isArchived = random.nextBoolean();
      for (String namespace : NAMESPACES) {
        for (int number = 0; number < OBJECTS; number++) {
          models.add(new Model(namespace, "o" + number));
        }
      }
    }

    private Path next(String name) {
      return place.resolve(name + "-" + directories++);
    }

    private ObjectRuntime open(Path where, boolean withArchive) {
      RuntimeOptions options =
          RuntimeOptions.DEFAULT.withHealth(RuntimeOptions.DEFAULT.health().withDiskFreeMin(0, 0));
      RuntimeOptions used =
          withArchive
              ? options.withArchive(
                  ArchiveOptions.to(archive())
                      .withLateMax(Duration.ofDays(365))
                      .withBaseBytes(random.nextInt(3) == 0 ? 1 : 1 << 30))
              : options;
      return Holdfast.open(
          where,
          clock,
          objects ->
              objects
                  .options(used)
                  .namespace("tables", Scripted.class, Scripted::withAlarm)
                  .namespace(
                      "pairs",
                      Scripted.class,
                      Scripted::withAlarm,
                      NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB)));
    }

    private DirectoryArchive archive() {
      return new DirectoryArchive(place.resolve("archive"));
    }

    private ObjectRuntime runtime() {
      if (runtime == null) {
        throw new IllegalStateException("closed");
      }
      return runtime;
    }

    void close() {
      if (runtime != null) {
        runtime.close();
        runtime = null;
      }
    }

    void run() throws IOException {
      runtime = open(data, isArchived);
      for (Model model : models) {
        remember(model);
      }
      for (int step = 0; step < STEPS; step++) {
        clock.advance(Duration.ofMillis(1 + random.nextInt(3_000)));
        step(models.get(random.nextInt(models.size())));
        note();
      }
      release();
      checkAll(runtime(), Kind.OWN);
      reopen(isArchived);
      checkAll(runtime(), Kind.OWN);
      if (isArchived) {
        archiveAll();
        close();
        replay();
      }
      close();
      restoreDirectory();
    }

    private void did(String what) {
      done.add(what);
      counts.merge(what.substring(0, (what + " ").indexOf(' ')), 1, Integer::sum);
    }

    private void step(Model model) throws IOException {
      int dice = random.nextInt(100);
      if (dice < 34) {
        write(model);
      } else if (dice < 44) {
        purge(model);
      } else if (dice < 54) {
        restoreNow(model);
      } else if (dice < 60) {
        request(model);
      } else if (dice < 63) {
        withdraw(model);
      } else if (dice < 67) {
        deleteObject(model);
      } else if (dice < 72) {
        fork(model);
      } else if (dice < 77) {
        exchange(model);
      } else if (dice < 82) {
        hold(model);
      } else if (dice < 86) {
        release();
      } else if (dice < 90) {
        reopen(isArchived && random.nextInt(3) > 0);
      } else if (dice < 94) {
        kill();
      } else if (dice < 96) {
        backup();
      } else if (isArchived && dice < 98) {
        purgeArchive();
      } else {
        checkAll(runtime(), Kind.OWN);
      }
    }

    // ---- Steps ------------------------------------------------------------------------------

    private static Scripted object(ObjectRuntime runtime, Model model, String name) {
      return runtime.namespace(model.namespace, Scripted.class).getByName(name);
    }

    private static ObjectId id(ObjectRuntime runtime, Model model) {
      return runtime.namespace(model.namespace, Scripted.class).idFromName(model.name);
    }

    private static ObjectRecovery past(ObjectRuntime runtime, Model model) {
      return runtime.recovery(model.namespace, id(runtime, model));
    }

    private static Map<String, String> content(ObjectRuntime runtime, Model model, String name) {
      return Scripted.in(
          object(runtime, model, name),
          context -> new TreeMap<>(context.storage().list(String.class)));
    }

    /** Starts the object, which is restored then. */
    private void begin(Model model) {
      Map<String, String> restored = model.pending;
      if (restored != null) {
        model.content = restored;
        model.pending = null;
      }
      assertThat(content(runtime(), model, model.name)).as("%s", model).isEqualTo(model.content);
      if (restored != null) {
        remember(model);
        clock.advance(Duration.ofMillis(1)); // what the step does is not of the same time
      }
    }

    private void remember(Model model) {
      String bookmark =
          Scripted.in(
              object(runtime(), model, model.name),
              context -> context.storage().getCurrentBookmark());
      model.moments.add(new Moment(bookmark, now(), model.content));
    }

    private Instant now() {
      return Instant.ofEpochMilli(clock.wallMillis());
    }

    private void write(Model model) {
      did("write " + model);
      begin(model);
      Map<String, String> next = new TreeMap<>(model.content);
      boolean isWiped = random.nextInt(8) == 0;
      String key = "key" + random.nextInt(4);
      String value = lastValue++ + "-".repeat(random.nextInt(4) * 700);
      if (isWiped) {
        next.clear();
      }
      next.put(key, value);
      String bookmark =
          Scripted.in(
              object(runtime(), model, model.name),
              context -> {
                if (isWiped) {
                  context.storage().deleteAll();
                }
                context.storage().put(key, value);
                return context.storage().getCurrentBookmark();
              });
      model.content = Map.copyOf(next);
      model.moments.add(new Moment(bookmark, now(), model.content));
    }

    private void purge(Model model) {
      did("purge " + model);
      begin(model);
      purges.add(runtime().admin().purgeHistory(model.namespace, id(runtime(), model)));
      model.gone.addAll(model.moments);
      model.moments.clear();
      clock.advance(Duration.ofMillis(1));
      remember(model);
      if (random.nextInt(3) == 0) {
        release();
      }
    }

    private void restoreNow(Model model) {
      if (random.nextInt(4) == 0 && !model.gone.isEmpty()) {
        begin(model);
        checkGone(runtime(), model, model.gone.get(random.nextInt(model.gone.size())));
        return;
      }
      did("restoreNow " + model);
      Moment moment = model.moments.get(random.nextInt(model.moments.size()));
      boolean isByTime = random.nextInt(4) == 0;
      String bookmark =
          isByTime ? past(runtime(), model).bookmarkForTime(moment.time()) : moment.bookmark();
      runtime().admin().restoreNow(model.namespace, id(runtime(), model), bookmark);
      model.content = (isByTime ? lastAt(model, moment.time()) : moment).content();
      model.pending = null;
      clock.advance(Duration.ofMillis(1));
      begin(model);
      remember(model);
    }

    private static Moment lastAt(Model model, Instant time) {
      return model.moments.stream()
          .filter(each -> !each.time().isAfter(time))
          .reduce((_, later) -> later)
          .orElseThrow();
    }

    private void request(Model model) {
      did("request " + model);
      Moment moment = model.moments.get(random.nextInt(model.moments.size()));
      past(runtime(), model).restoreOnNextSession(moment.bookmark());
      model.pending = moment.content();
      while (!runtime().admin().evict(model.namespace, id(runtime(), model))) {
        Thread.yield(); // the thread of the last call may not have left the object yet
      }
    }

    private void withdraw(Model model) {
      did("withdraw " + model);
      past(runtime(), model).withdrawRestore();
      model.pending = null;
    }

    private void deleteObject(Model model) {
      did("delete " + model);
      begin(model);
      runtime().admin().delete(model.namespace, id(runtime(), model));
      model.content = Map.of();
      clock.advance(Duration.ofMillis(1));
      begin(model);
      remember(model);
    }

    private void fork(Model model) {
      did("fork " + model);
      begin(model); // as the fork does: it reads the object in a turn
      checkMoment(runtime(), model, model.moments.get(random.nextInt(model.moments.size())));
    }

    /** From one object into another one, which can be of the other engine. */
    private void exchange(Model model) {
      did("import " + model);
      begin(model);
      Path file = next("export");
      past(runtime(), model).exportTo(file);
      Model target = models.get(random.nextInt(models.size()));
      begin(target);
      past(runtime(), target).importFrom(file);
      target.content = model.content;
      clock.advance(Duration.ofMillis(1));
      begin(target);
      remember(target);
    }

    /** A consumer that has stopped: no purge of this event ends before it is gone. */
    private void hold(Model model) {
      did("hold " + model);
      if (!isHeld) {
        isHeld = true;
        runtime().consume("topic", "slow", String.class, _ -> {}).close();
      }
      begin(model);
      Scripted.in(
          object(runtime(), model, model.name),
          context -> {
            context.emit("topic", "event");
            return true;
          });
    }

    private void release() {
      did("release");
      if (isHeld) {
        isHeld = false;
        runtime().admin().removeConsumer("topic", "slow");
      }
      for (CompletableFuture<Void> purge : purges) {
        await(purge, Duration.ofMillis(100));
      }
      purges.clear();
    }

    /** The work is done by threads that do not wait for the clock: too many steps are a window. */
    private <T> T await(CompletableFuture<T> future, Duration step) {
      while (true) {
        try {
          return future.get(2, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
          clock.advance(step);
        } catch (InterruptedException | ExecutionException e) {
          throw new AssertionError(e);
        }
      }
    }

    private void reopen(boolean withArchive) {
      did("reopen " + (withArchive ? "" : "without archive"));
      close();
      purges.clear();
      runtime = open(data, withArchive);
      checkContents();
    }

    private void kill() throws IOException {
      did("kill");
      Path copy = next("data");
      CopyAtRest.of(data, copy);
      close();
      purges.clear();
      data = copy;
      runtime = open(data, isArchived);
      checkContents();
    }

    private void backup() throws IOException {
      did("backup");
      Path copy = next("backup");
      runtime().backup(copy);
      try (ObjectRuntime other = open(copy, /* withArchive= */ false)) {
        checkAll(other, Kind.BACKUP);
      }
    }

    private void purgeArchive() {
      did("purgeArchive");
      release();
      if (runtime().statistics().archive().generation() == 0) {
        return; // opened without
      }
      CompletableFuture<Long> purge = runtime().admin().purgeArchive();
      long first = await(purge, Duration.ofSeconds(5));
      archivedPasts.removeIf(past -> past.position() < first);
    }

    /** Notes what a restore to this position must give. */
    private void note() {
      if (models.stream().allMatch(model -> model.pending == null)) {
        Map<Model, Map<String, String>> contents = new HashMap<>();
        models.forEach(model -> contents.put(model, model.content));
        Past past = new Past(runtime().statistics().journal().durablePosition(), contents);
        pasts.add(past);
        if (isArchived) {
          archivedPasts.add(past);
        }
      }
    }

    private void archiveAll() {
      while (runtime().statistics().archive().position()
              < runtime().statistics().journal().durablePosition()
          || !runtime().health().reasons().isEmpty()) { // it goes on with an image
        clock.advance(Duration.ofSeconds(5));
        Thread.yield();
      }
    }

    private void replay() throws IOException {
      did("replay");
      restoreArchive(new Latest(), other -> checkAll(other, Kind.RESTORED));
      for (int each = 0; each < REPLAYED && !archivedPasts.isEmpty(); each++) {
        Past past = archivedPasts.get(random.nextInt(archivedPasts.size()));
        replay(past);
      }
    }

    private void replay(Past past) throws IOException {
      try {
        restoreArchive(
            new AtPosition(past.position()),
            other ->
                past.contents()
                    .forEach(
                        (model, content) ->
                            assertThat(content(other, model, model.name))
                                .as("%s at position %d of the archive", model, past.position())
                                .isEqualTo(content)));
      } catch (ArchiveException e) {
        // A history was purged while there was no archive: what was before is a gap.
        assertThat(e).hasMessageContaining("lacks the records");
        assertThat(done).contains("reopen without archive");
      }
    }

    /** All objects go back, except those whose history was purged since, which stay. */
    private void restoreDirectory() throws IOException {
      for (int each = 0; each < REPLAYED && !pasts.isEmpty(); each++) {
        did("restoreDirectory");
        Past past = pasts.get(random.nextInt(pasts.size()));
        Path where = next("all");
        List<String> purged =
            Holdfast.restore(
                    data, where, RestoreRequest.of(new AtPosition(past.position())).withoutPurged())
                .purged();
        try (ObjectRuntime other = open(where, /* withArchive= */ false)) {
          for (Model model : models) {
            boolean isPurged = purged.contains(model.namespace + "/" + id(other, model));
            Map<String, String> present = model.pending == null ? model.content : model.pending;
            counts.merge(isPurged ? "(left)" : "(went back)", 1, Integer::sum);
            assertThat(content(other, model, model.name))
                .as("%s at position %d of the directory", model, past.position())
                .isEqualTo(isPurged ? present : past.contents().get(model));
          }
        }
      }
    }

    private interface Check {
      void run(ObjectRuntime runtime) throws IOException;
    }

    private void restoreArchive(RestoreTarget target, Check check) throws IOException {
      Path where = next("restored");
      Holdfast.restore(archive(), where, RestoreRequest.of(target));
      try (ObjectRuntime other = open(where, /* withArchive= */ false)) {
        check.run(other);
      }
    }

    // ---- Checks -----------------------------------------------------------------------------

    private void checkContents() {
      for (Model model : models) {
        if (model.pending == null) {
          assertThat(content(runtime(), model, model.name))
              .as("%s", model)
              .isEqualTo(model.content);
        }
      }
    }

    /** What a runtime has open. */
    private enum Kind {
      OWN,
      BACKUP,

      /** Its history begins with the image from which it was restored. */
      RESTORED
    }

    private void checkAll(ObjectRuntime where, Kind kind) throws IOException {
      did("check");
      for (Model model : models) {
        if (kind == Kind.OWN) {
          begin(model); // as the forks below do
        } else {
          List<Map<String, String>> allowed = new ArrayList<>();
          allowed.add(model.pending == null ? model.content : model.pending);
          if (kind == Kind.RESTORED) {
            allowed.add(model.content); // its history may not be there
          }
          assertThat(content(where, model, model.name)).as("%s", model).isIn(allowed);
        }
        for (Moment moment : model.moments) {
          try {
            checkMoment(where, model, moment);
          } catch (BookmarkException e) {
            assertThat(e).hasMessageContaining("no longer kept");
            assertThat(kind).as("%s", e).isEqualTo(Kind.RESTORED);
          }
        }
        for (Moment moment : model.gone) {
          checkGone(where, model, moment);
        }
      }
    }

    private void checkMoment(ObjectRuntime where, Model model, Moment moment) {
      assertThat(forked(where, model, moment.bookmark()))
          .as("%s, forked by its bookmark", model)
          .isEqualTo(moment.content());
    }

    private Map<String, String> forked(ObjectRuntime where, Model model, String bookmark) {
      String fork = "fork" + forks++;
      past(where, model).fork(bookmark, fork);
      return content(where, model, fork);
    }

    /** The last state before a purge is that at its end, and is not always refused. */
    private void checkGone(ObjectRuntime where, Model model, Moment moment) {
      try {
        assertThat(forked(where, model, moment.bookmark()))
            .as("%s, a purged state", model)
            .isEqualTo(moment.content());
      } catch (BookmarkException e) {
        assertThat(e.reason()).isEqualTo(Reason.NOT_KEPT);
      }
    }
  }
}
