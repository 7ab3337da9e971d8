package dev.holdfast.backend.sqlite.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backend.sqlite.Objects;
import dev.holdfast.faults.ForwardingDisk;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The copy of a file to be imported. */
final class ImportedCopyTest {

  @TempDir private Path directory;
  private Path file;
  private Path work;

  /** Writes to the file, or its log, after the import has begun. */
  private static final class WriterBeside extends ForwardingDisk {
    private final Path written;

    WriterBeside(Path written) {
      super(new FileDisk());
      this.written = written;
    }

    @Override
    public void createDirectories(Path path) throws IOException {
      super.createDirectories(path);
      Files.write(written, new byte[4_096], StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }

  @BeforeEach
  void make() throws Exception {
    work = directory.resolve("work");
    file = directory.resolve("file.sqlite");
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE t (v)");
    }
  }

  @Test
  void fileThatChangesWhileItIsCopiedIsRefused() {
    for (String suffix : new String[] {"", "-wal", "-journal"}) {
      Path written = file.resolveSibling(file.getFileName() + suffix);
      assertThatThrownBy(
              () -> ImportedCopy.of(new WriterBeside(written), Objects.object(1), file, work))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("changed while it was copied");
      assertThat(work).isEmptyDirectory();
    }
  }

  @Test
  void fileWithoutRoomForItsStateIsNotCopied() {
    ForwardingDisk full =
        new ForwardingDisk(new FileDisk()) {
          @Override
          public long usableBytes(Path path) throws IOException {
            return (256L << 20) + 2 * Files.size(file);
          }
        };
    assertThatThrownBy(() -> ImportedCopy.of(full, Objects.object(1), file, work))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("3 times as much room");
    assertThat(work).isEmptyDirectory();
  }
}
