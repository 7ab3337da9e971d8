package dev.holdfast.system.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.system.recovery.RecoverableObjects.Engine;
import dev.holdfast.system.recovery.RecoverableObjects.Settings;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A data directory of an earlier build of these formats opens, and every remembered state can be
 * restored. {@code -Dholdfast.golden.write=DIRECTORY} writes new ones, for a new version of a
 * format.
 */
class GoldenDirectoryTest {

  private static final ObjectKey KEY = RecoverableObjects.object(1);
  private static final String MOMENTS = "moments.txt";

  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource
  void everyStateOfAnOldDirectoryComesBack(Engine engine) throws IOException {
    String name = "data-2-" + engine.name().toLowerCase(java.util.Locale.ROOT) + ".zip";
    String target = System.getProperty("holdfast.golden.write");
    if (target != null) {
      write(engine, Path.of(target).resolve(name));
    }
    try (InputStream zip =
        target != null
            ? Files.newInputStream(Path.of(target).resolve(name))
            : Objects.requireNonNull(GoldenDirectoryTest.class.getResourceAsStream(name))) {
      GoldenZip.unpack(zip, directory.resolve("data"));
    }
    List<String> moments = Files.readAllLines(directory.resolve("data").resolve(MOMENTS));
    assertThat(moments).hasSizeGreaterThan(20);
    boolean hasSql = engine == Engine.SQLITE;
    try (RecoverableObjects objects = open(directory.resolve("data"), engine)) {
      ObjectStore store = objects.begin(KEY);
      for (String moment : moments.reversed()) {
        String[] parts = moment.split(" ", -1);
        objects.restore(KEY, store, parts[0]);
        store = objects.begin(KEY);
        assertThat(Integer.toHexString(Content.withIndexes(store, hasSql).hashCode()))
            .isEqualTo(parts[1]);
      }
    }
  }

  private static RecoverableObjects open(Path data, Engine engine) {
    return new RecoverableObjects(
        data,
        engine,
        new Settings(
            new VirtualClock(), new FileDisk(), /* segmentBytes= */ 64 << 10, Long.MAX_VALUE));
  }

  private void write(Engine engine, Path zip) throws IOException {
    Path data = directory.resolve("written");
    boolean hasSql = engine == Engine.SQLITE;
    Random random = new Random(7);
    RandomObject changes = new RandomObject(random, hasSql);
    List<String> moments = new ArrayList<>();
    RecoverableObjects objects = open(data, engine);
    ObjectStore store = objects.begin(KEY);
    for (int step = 0; step < 40; step++) {
      String bookmark = objects.commit(KEY, store, changes::change);
      objects.journal.awaitDurable(objects.journal.lastPosition());
      moments.add(
          bookmark + " " + Integer.toHexString(Content.withIndexes(store, hasSql).hashCode()));
      if (step % 15 == 14) {
        String before = Integer.toHexString(Content.withIndexes(store, hasSql).hashCode());
        String undo = objects.restore(KEY, store, moments.get(step / 2).split(" ", -1)[0]);
        moments.add(undo + " " + before);
        store = objects.begin(KEY);
      }
    }
    objects.close();
    Files.write(data.resolve(MOMENTS), moments);
    GoldenZip.pack(data, zip);
  }
}
