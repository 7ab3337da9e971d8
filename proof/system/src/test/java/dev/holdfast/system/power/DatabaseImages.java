package dev.holdfast.system.power;

import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.RecoveryLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The states in which a power cut can leave a RocksDB database, whose files are written and synced
 * by native code that bypasses the disk of the test.
 *
 * <p>When the database reports a low-water mark, everything below it is synced. So the directory is
 * copied before the journal receives a mark. That copy is the oldest state that a power cut may
 * leave; the newest is the state at the end. Between them there may be parts of tables that no
 * manifest names yet, since RocksDB syncs a table first. What a torn manifest means is shown by
 * {@code TornManifestTest} of the backend.
 *
 * <p>Thread-safe.
 */
public final class DatabaseImages {

  private static final long NONE = -1;

  private final Path directory;

  private @Nullable Map<String, byte[]> first;
  private @Nullable Map<String, byte[]> synced;
  private long syncedMark = NONE;

  /**
   * Creates images of a database.
   *
   * @param directory where RocksDB has its files
   */
  public DatabaseImages(Path directory) {
    this.directory = directory;
  }

  /**
   * {@return a view for the journal that forwards to another, and copies the directory now and
   * before it reports each new mark}
   *
   * @param view the database's, after its recovery
   */
  public JournalView watched(JournalView view) {
    keep(view.lowWaterMark()); // the journal may ask any time later
    return new JournalView() {
      @Override
      public int viewId() {
        return view.viewId();
      }

      @Override
      public void recover(RecoveryLog log) {
        view.recover(log);
      }

      @Override
      public long lowWaterMark() {
        long mark = view.lowWaterMark();
        keep(mark);
        return mark;
      }

      @Override
      public void checkpointBefore(long position) {
        view.checkpointBefore(position);
      }

      @Override
      public long historyFloor() {
        return view.historyFloor();
      }
    };
  }

  private synchronized void keep(long mark) {
    if (mark != syncedMark) {
      syncedMark = mark;
      synced = stableContent();
      if (first == null) {
        first = synced;
      }
    }
  }

  /** Reads until nothing changes during a reading: the state that a killed process would leave. */
  private Map<String, byte[]> stableContent() {
    Map<String, byte[]> before = content();
    while (true) {
      Map<String, byte[]> after = content();
      if (isSame(before, after)) {
        return after;
      }
      before = after;
    }
  }

  private static boolean isSame(Map<String, byte[]> left, Map<String, byte[]> right) {
    return left.keySet().equals(right.keySet())
        && left.keySet().stream().allMatch(name -> Arrays.equals(left.get(name), right.get(name)));
  }

  private Map<String, byte[]> content() {
    Map<String, byte[]> content = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        try {
          content.put(file.getFileName().toString(), Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
          // Deleted since it was listed: the next reading is without it.
          content.put(file.getFileName().toString(), new byte[0]);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return content;
  }

  /**
   * Writes the state that a power cut now would leave; nothing may run any longer.
   *
   * @param target the directory for it
   * @param seed chooses among what may be left
   * @throws IOException if it cannot be written
   */
  public synchronized void writeCrashImage(Path target, long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    Map<String, byte[]> newest = content();
    Map<String, byte[]> oldest = synced == null ? newest : synced;
    write(
        target,
        switch (random.nextInt(3)) {
          case 0 -> oldest;
          case 1 -> newest;
          default -> withTornTables(oldest, newest, random);
        });
  }

  /**
   * Writes an image without data that was synced before a mark was reported: no power cut leaves
   * that.
   */
  synchronized void writeForgetfulImage(Path target) throws IOException {
    write(target, first == null ? Map.of() : first);
  }

  /** New tables, in part, that no manifest names. */
  private static Map<String, byte[]> withTornTables(
      Map<String, byte[]> oldest, Map<String, byte[]> newest, SplittableRandom random) {
    Map<String, byte[]> image = new TreeMap<>(oldest);
    newest.forEach(
        (name, bytes) -> {
          if (isTable(name) && !oldest.containsKey(name)) {
            image.put(name, Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)));
          }
        });
    return image;
  }

  private static boolean isTable(String name) {
    return name.endsWith(".sst");
  }

  private static void write(Path target, Map<String, byte[]> image) throws IOException {
    Files.createDirectories(target);
    try (Stream<Path> files = Files.list(target)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    for (Map.Entry<String, byte[]> file : image.entrySet()) {
      Files.write(target.resolve(file.getKey()), file.getValue());
    }
  }
}
