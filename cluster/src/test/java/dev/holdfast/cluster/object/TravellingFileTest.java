package dev.holdfast.cluster.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectFileException;
import dev.holdfast.ObjectId;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.cluster.errors.ObjectUnavailableException.Delivery;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileSum;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file on its way, which ends at every step, and what its owner keeps of it. */
final class TravellingFileTest {

  private static final ObjectId ID = ObjectId.of(new byte[32], null);

  /** Each file has another number. */
  private long files;

  private static final String[] ENDINGS = {"", "-wal", "-journal"};

  @TempDir private Path directory;

  private final VirtualClock clock = new VirtualClock();
  private final byte[] content = new byte[2 * StagedFiles.PIECE_BYTES_MAX + 17];
  private final List<String> imported = new ArrayList<>();

  TravellingFileTest() {
    new Random(1).nextBytes(content);
  }

  private StagedFiles staged() {
    return StagedFiles.open(new FileDisk(), directory.resolve("owner"), clock, Runnable::run);
  }

  /** What an owner does with files, without objects. */
  private final class Owner {

    private final StagedFiles staged;

    /** The step that is not answered, counted from 1; 0 for none. */
    private final int lostStep;

    private int steps;
    private byte @Nullable [] damagedPiece;

    Owner(StagedFiles staged, int lostStep) {
      this.staged = staged;
      this.lostStep = lostStep;
    }

    ShardOperations operations() {
      return (ShardOperations)
          Proxy.newProxyInstance(
              ShardOperations.class.getClassLoader(),
              new Class<?>[] {ShardOperations.class},
              (_, method, arguments) -> {
                if (method.getName().equals("endFile")) {
                  staged.drop((long) arguments[2]);
                  return null;
                }
                if (++steps == lostStep) {
                  throw new ObjectUnavailableException(
                      "things", ID, Delivery.UNKNOWN, "lost", null);
                }
                try {
                  return getClass()
                      .getDeclaredMethod(method.getName(), method.getParameterTypes())
                      .invoke(this, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause() instanceof IOException io
                      ? new ObjectFileException(
                          "things", ID, Path.of(""), String.valueOf(io.getMessage()), null)
                      : e.getCause();
                }
              });
    }

    FileSum exportFile(String namespace, ObjectId id, long number) throws IOException {
      staged.begin(number, content.length);
      return staged.use(
          number,
          file -> {
            Files.write(file, content);
            return staged.sum(file);
          });
    }

    byte[] readFile(String namespace, ObjectId id, long number, long offset) throws IOException {
      byte[] damaged = damagedPiece;
      return damaged == null ? staged.read(number, offset) : damaged;
    }

    void beginFile(String namespace, ObjectId id, long number, long bytes) throws IOException {
      staged.begin(number, bytes);
    }

    void writeFile(
        String namespace, ObjectId id, long number, String suffix, long offset, byte[] bytes)
        throws IOException {
      staged.write(number, suffix, offset, bytes);
    }

    void importFile(String namespace, ObjectId id, long number, Map<String, FileSum> sums)
        throws IOException {
      staged.use(
          number,
          file -> {
            staged.requireAll(file, sums);
            for (String ending : ENDINGS) {
              Path part = file.resolveSibling(file.getFileName() + ending);
              if (Files.exists(part)) {
                imported.add(ending + Arrays.hashCode(Files.readAllBytes(part)));
              }
            }
            return true;
          });
    }
  }

  private TravellingFile travelling(Owner owner, Path file) {
    ShardOperations operations = owner.operations();
    return new TravellingFile("things", ID, file, operations, operations, ++files);
  }

  private static List<Path> in(Path directory) throws IOException {
    try (Stream<Path> files = Files.exists(directory) ? Files.list(directory) : Stream.empty()) {
      return files.toList();
    }
  }

  private List<Path> kept() throws IOException {
    return in(directory.resolve("owner").resolve("staged"));
  }

  @Test
  void exportThatLosesItsOwnerAtAnyStepLeavesNoFile() throws IOException {
    Path target = Files.createDirectory(directory.resolve("target")).resolve("file");
    for (int step = 1; step <= 4; step++) {
      try (StagedFiles staged = staged()) {
        TravellingFile file = travelling(new Owner(staged, step), target);
        assertThatThrownBy(file::fetch)
            .isInstanceOfSatisfying(
                ObjectUnavailableException.class,
                lost -> assertThat(lost.delivery()).isEqualTo(Delivery.NOT_DELIVERED))
            .hasMessageContaining("repeat it");
        assertThat(in(target.getParent())).isEmpty();
        assertThat(kept()).isEmpty();
      }
    }
    try (StagedFiles staged = staged()) {
      travelling(new Owner(staged, 5), target).fetch();
    }
    assertThat(target).hasBinaryContent(content);
    assertThat(in(target.getParent())).containsExactly(target);
  }

  @Test
  void importThatLosesItsOwnerBeforeItBeginsHasNotBegun() throws IOException {
    Path source = Files.write(directory.resolve("file"), content);
    Files.write(directory.resolve("file-wal"), new byte[] {1, 2});
    Files.write(directory.resolve("file-journal"), new byte[0]);
    int last = 7; // it begins, three pieces, two logs
    for (int step = 1; step <= last; step++) {
      Delivery expected = step == last ? Delivery.UNKNOWN : Delivery.NOT_DELIVERED;
      try (StagedFiles staged = staged()) {
        TravellingFile file = travelling(new Owner(staged, step), source);
        assertThatThrownBy(file::send)
            .isInstanceOfSatisfying(
                ObjectUnavailableException.class,
                lost -> assertThat(lost.delivery()).isEqualTo(expected));
        assertThat(imported).isEmpty();
        assertThat(kept()).isEmpty();
      }
    }
    try (StagedFiles staged = staged()) {
      travelling(new Owner(staged, 0), source).send();
    }
    assertThat(imported)
        .containsExactly(
            "" + Arrays.hashCode(content),
            "-wal" + Arrays.hashCode(new byte[] {1, 2}),
            "-journal" + Arrays.hashCode(new byte[0]));
  }

  @Test
  void pieceThatIsNotWhatWasSentIsFound() throws IOException {
    Path target = directory.resolve("file");
    try (StagedFiles staged = staged()) {
      Owner owner = new Owner(staged, 0);
      owner.damagedPiece = new byte[content.length];
      TravellingFile file = travelling(owner, target);
      assertThatThrownBy(file::fetch)
          .isInstanceOf(ObjectFileException.class)
          .hasMessageContaining(target + " cannot be written: it did not arrive as it was sent");
    }
    assertThat(target).doesNotExist();
  }

  @Test
  void nextOwnerHasNothingOfTheFile() throws IOException {
    Path source = Files.write(directory.resolve("file"), content);
    try (StagedFiles first = staged();
        StagedFiles next =
            StagedFiles.open(new FileDisk(), directory.resolve("next"), clock, Runnable::run)) {
      ShardOperations before = new Owner(first, 0).operations();
      ShardOperations after = new Owner(next, 0).operations();
      TravellingFile file = new TravellingFile("things", ID, source, before, after, ++files);
      assertThatThrownBy(file::send)
          .isInstanceOf(ObjectFileException.class)
          .hasMessageContaining(source + " is not on its owner any more");
    }
    assertThat(imported).isEmpty();
  }

  @Test
  void fileThatNobodyAsksForIsDeleted() throws IOException {
    try (StagedFiles staged = staged()) {
      staged.begin(1, 2);
      staged.write(1, "", 0, new byte[2]);
      clock.advance(Duration.ofNanos(StagedFiles.SILENCE_NANOS - 1));
      assertThat(staged.read(1, 0)).hasSize(2);
      clock.advance(Duration.ofNanos(StagedFiles.SILENCE_NANOS - 1));
      assertThat(kept()).hasSize(1);
      staged.use(
          1,
          file -> {
            clock.advance(Duration.ofNanos(3 * StagedFiles.SILENCE_NANOS));
            assertThat(file).exists();
            return true;
          });
      clock.advance(Duration.ofNanos(2 * StagedFiles.SILENCE_NANOS));
      assertThat(kept()).isEmpty();
      assertThatThrownBy(() -> staged.read(1, 0)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void fileInUseIsDeletedAfterItsUse() throws IOException {
    StagedFiles staged = staged();
    staged.begin(1, 2);
    staged.write(1, "", 0, new byte[2]);
    staged.use(
        1,
        file -> {
          staged.close();
          assertThat(file).exists();
          return true;
        });
    assertThat(kept()).isEmpty();
    assertThatThrownBy(() -> staged.begin(2, 0)).isInstanceOf(IOException.class);
  }

  @Test
  void filesAreBounded() throws IOException {
    try (StagedFiles staged = staged()) {
      for (int number = 0; number < StagedFiles.FILES_MAX; number++) {
        staged.begin(number, 1);
      }
      assertThatThrownBy(() -> staged.begin(99, 1)).hasMessageContaining("too many");
      staged.drop(3);
      assertThatThrownBy(() -> staged.begin(4, 1)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> staged.begin(99, Long.MAX_VALUE / 2)).hasMessageContaining("room");
      staged.begin(99, 1);
      assertThatThrownBy(() -> staged.write(99, "", 0, new byte[2])).hasMessageContaining("byte 0");
      assertThatThrownBy(() -> staged.write(99, "", 1, new byte[0])).hasMessageContaining("byte 1");
      assertThatThrownBy(() -> staged.write(99, "/../x", 0, new byte[1]))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void openingDeletesWhatIsLeft() throws IOException {
    StagedFiles killed = staged();
    killed.begin(1, 2);
    killed.write(1, "-wal", 0, new byte[2]);
    assertThat(kept()).hasSize(1);
    try (StagedFiles _ = staged()) {
      assertThat(kept()).isEmpty();
    }
  }
}
