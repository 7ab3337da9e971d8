package dev.holdfast.spi.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * The name of a file of a data directory, as a manifest, an archive or another node states it.
 * Others may have written it: what is not a name of such a file is not used as a path.
 */
public final class StoredName {

  /** One level: neither {@code ..} nor a drive, a separator or a control character. */
  private static final String LEVEL = "[A-Za-z0-9][A-Za-z0-9._-]{0,200}";

  private static final Pattern DIRECTORY = Pattern.compile(LEVEL);

  private static final Pattern OF_VIEW =
      Pattern.compile("rocksdb\\.flushed|(rocksdb|sqlite)(/" + LEVEL + "){1,3}");

  /** What a copy of a shard states of the files beside. */
  private static final Pattern OF_COPY = Pattern.compile("saved|bases");

  private static final Pattern OF_JOURNAL =
      Pattern.compile("journal\\.mark|journal/[0-9a-f]{16}\\.log");

  private StoredName() {}

  /**
   * {@return whether a text, such as the name of a namespace in a record, can name a directory}
   *
   * @param name the name
   */
  public static boolean isDirectory(String name) {
    return DIRECTORY.matcher(name).matches();
  }

  /**
   * {@return whether a name belongs to a file of a view}
   *
   * @param name relative to the data directory, with a slash between directories
   */
  public static boolean isOfView(String name) {
    return OF_VIEW.matcher(name).matches();
  }

  /**
   * {@return whether a name belongs to a file of a view, or to what a copy of a shard states of
   * these files}
   *
   * @param name relative to the data directory, with a slash between directories
   */
  public static boolean isOfShard(String name) {
    return isOfView(name) || OF_COPY.matcher(name).matches();
  }

  /**
   * {@return whether a name belongs to a file of a view or of the journal}
   *
   * @param name relative to the data directory, with a slash between directories
   */
  public static boolean isOfData(String name) {
    return isOfView(name) || OF_JOURNAL.matcher(name).matches();
  }

  /**
   * Returns where a file is.
   *
   * @param root a directory
   * @param name a name of a file of data
   * @return the path below the directory; no symbolic link leads out of it
   * @throws IOException if it is not such a name, or there is a symbolic link on the way
   */
  public static Path resolve(Path root, String name) throws IOException {
    if (!isOfData(name) && !isOfShard(name)) {
      throw new IOException("The name does not belong to a file of a data directory");
    }
    Path path = root;
    for (String level : name.split("/", -1)) {
      path = path.resolve(level);
      requireNoLink(path);
    }
    return path;
  }

  /**
   * Refuses a symbolic link, which could lead anywhere.
   *
   * @param path a file or directory that others may have made; may be missing
   * @throws IOException if it is a symbolic link
   */
  public static void requireNoLink(Path path) throws IOException {
    if (Files.isSymbolicLink(path)) {
      throw new IOException(path + " is a symbolic link, which is not followed here");
    }
  }
}
