package dev.holdfast.spi.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A directory for copies that nobody needs after the process, which only its owner can read;
 * deleted when it is closed.
 *
 * @param path the directory
 */
public record ScratchDirectory(Path path) implements AutoCloseable {

  /**
   * Creates one among the temporary files.
   *
   * @param prefix the beginning of its name
   * @return the directory
   * @throws IOException if it cannot be created
   */
  public static ScratchDirectory temporary(String prefix) throws IOException {
    return new ScratchDirectory(Files.createTempDirectory(prefix));
  }

  /**
   * Creates one.
   *
   * @param parent where it is created
   * @param prefix the beginning of its name
   * @return the directory
   * @throws IOException if it cannot be created
   */
  public static ScratchDirectory in(Path parent, String prefix) throws IOException {
    return new ScratchDirectory(Files.createTempDirectory(parent, prefix));
  }

  /**
   * Deletes it with all that is in it.
   *
   * @throws IOException if something cannot be deleted
   */
  @Override
  public void close() throws IOException {
    FileTree.delete(new FileDisk(), path);
  }
}
