package dev.holdfast.backend.sqlite.wal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.RedonePages;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are read at once, and larger ones; pages that are written together, and others. */
final class RebuiltFileTest {

  private static final int PAGE_BYTES = 4096;

  @TempDir private Path root;

  private final Random random = new Random(1);

  @ParameterizedTest
  @ValueSource(ints = {5, 16, 17, 40})
  void changedPagesAreWrittenAndTheOthersAreLeftAlone(int pages) throws IOException {
    ObjectFiles files = new ObjectFiles(new FileDisk(), root);
    Path file = root.resolve("notes/000/object.sqlite");
    Files.createDirectories(file.getParent());
    byte[] before = new byte[pages * PAGE_BYTES];
    random.nextBytes(before);
    Files.write(file, before);
    List<Integer> changed =
        IntStream.rangeClosed(1, pages).filter(page -> page != 3).boxed().toList();
    byte[] after = before.clone();
    RebuiltFile rebuilt = new RebuiltFile(files, file, new RedonePages());
    for (List<Integer> some : List.of(changed.subList(0, 1), changed)) {
      rebuilt.redo(batch(after, some));
    }

    // Nobody does this to a page that was read; it shows that it is not written.
    byte[] other = Files.readAllBytes(file);
    other[2 * PAGE_BYTES] ^= 1;
    Files.write(file, other);
    rebuilt.write();

    after[2 * PAGE_BYTES] ^= 1;
    assertThat(file).hasBinaryContent(after);
    assertThat(rebuilt.heldBytes()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 30})
  void truncatedFileGrowsAgain(int pages) throws IOException {
    ObjectFiles files = new ObjectFiles(new FileDisk(), root);
    Path file = root.resolve("notes/000/object.sqlite");
    Files.createDirectories(file.getParent());
    byte[] before = new byte[pages * PAGE_BYTES];
    random.nextBytes(before);
    Files.write(file, before);
    RebuiltFile rebuilt = new RebuiltFile(files, file, new RedonePages());
    byte[] one = Arrays.copyOf(before, PAGE_BYTES);
    rebuilt.redo(batch(one, List.of(1)));
    rebuilt.write();
    byte[] grown = Arrays.copyOf(one, 3 * PAGE_BYTES);
    rebuilt.redo(batch(grown, List.of(3)));
    rebuilt.write();

    assertThat(file).hasBinaryContent(grown);
  }

  /** Changes one byte of each page, in the image too. */
  private BatchReader batch(byte[] image, List<Integer> pages) {
    BatchWriter writer = new BatchWriter();
    writer.begin(PAGE_BYTES, image.length / PAGE_BYTES, image.length / PAGE_BYTES);
    for (int page : pages) {
      byte[] before = image.clone();
      image[(page - 1) * PAGE_BYTES + random.nextInt(PAGE_BYTES)] ^= 1;
      writer.changed(
          page,
          new BatchWriter.Image(before, (page - 1) * PAGE_BYTES),
          new BatchWriter.Image(image.clone(), (page - 1) * PAGE_BYTES));
    }
    return new BatchReader(writer.finish());
  }
}
