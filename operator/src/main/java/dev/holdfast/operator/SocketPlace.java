package dev.holdfast.operator;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/**
 * Where the socket of a data directory is: in the directory; or, where that path is longer than the
 * path of a socket may be, in a separate directory that a file in the data directory names. That
 * file names the data directory, too: in a copy it leads to nothing.
 */
final class SocketPlace {

  static final String SOCKET = "operator.sock";

  /** Names the socket that is elsewhere. */
  static final String POINTER = "operator";

  /** The shortest limit of the usual systems is 104 bytes, with the byte that ends the path. */
  static final int PATH_BYTES_MAX = 103;

  private SocketPlace() {}

  /**
   * Takes the place for the owner of the data directory: removes what a process that was killed has
   * left.
   *
   * @param data the data directory, whose lock is held
   * @param elsewhere the parent of the directory that a long path needs
   * @return the path of the socket to be created
   */
  static Path take(Path data, Path elsewhere) throws IOException {
    release(data);
    Path inside = data.resolve(SOCKET);
    if (fits(inside)) {
      return inside;
    }
    Path socket =
        Files.createTempDirectory(
                elsewhere,
                "holdfast-",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")))
            .resolve(SOCKET);
    if (!fits(socket)) {
      Files.delete(socket.getParent());
      throw new IOException(
          "neither " + inside + " nor a path in " + elsewhere + " is short enough for a socket");
    }
    Files.writeString(data.resolve(POINTER), socket + "\n" + data.toRealPath() + "\n");
    return socket;
  }

  private static boolean fits(Path path) {
    return path.toString().getBytes(StandardCharsets.UTF_8).length <= PATH_BYTES_MAX;
  }

  /** Removes the socket and what names it. The lock of the directory is held. */
  static void release(Path data) throws IOException {
    Path pointer = data.resolve(POINTER);
    if (Files.exists(pointer)) {
      Optional<Path> socket = pointed(data);
      if (socket.isPresent() && SOCKET.equals(String.valueOf(socket.get().getFileName()))) {
        Files.deleteIfExists(socket.get());
        Files.deleteIfExists(socket.get().getParent());
      }
      Files.delete(pointer);
    }
    Files.deleteIfExists(data.resolve(SOCKET));
  }

  /** {@return the socket elsewhere; empty if that is the one of another directory} */
  private static Optional<Path> pointed(Path data) throws IOException {
    String[] lines = Files.readString(data.resolve(POINTER)).split("\n", 2);
    return lines.length == 2 && lines[1].equals(data.toRealPath() + "\n")
        ? Optional.of(Path.of(lines[0]))
        : Optional.empty();
  }

  /** {@return the address of the socket; empty if there is none} */
  static Optional<UnixDomainSocketAddress> find(Path data) throws IOException {
    Optional<Path> socket =
        Files.exists(data.resolve(POINTER)) ? pointed(data) : Optional.of(data.resolve(SOCKET));
    return socket.filter(Files::exists).map(UnixDomainSocketAddress::of);
  }
}
