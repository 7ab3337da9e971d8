package dev.holdfast.cluster.object;

import dev.holdfast.ObjectFileException;
import dev.holdfast.ObjectId;
import dev.holdfast.backend.sqlite.SqliteObjectFiles;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.cluster.errors.ObjectUnavailableException.Delivery;
import dev.holdfast.errors.ObjectCallTimeoutException;
import dev.holdfast.spi.ObjectFileFormat.PendingFile;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileSum;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The export or import of an object by a node that does not own it: its file travels in pieces.
 * Confined to one thread.
 */
final class TravellingFile {

  /** A piece is a read or a write of a file; an owner that does not answer by then does not. */
  private static final Duration PIECE_TIMEOUT = Duration.ofSeconds(30);

  private final String namespace;
  private final ObjectId id;
  private final Path file;
  private final ShardOperations owner;
  private final ShardOperations pieces;
  private final Disk disk = new FileDisk();

  /** A number of two files at once is refused by their owner. */
  private final long number;

  TravellingFile(String namespace, ObjectId id, Path file, ClusterOperations operations) {
    this(
        namespace,
        id,
        file,
        operations.of(id),
        operations.of(id, PIECE_TIMEOUT),
        operations.newNumber());
  }

  /**
   * @param owner does what may take long
   * @param pieces does the rest
   * @param number of the file; random
   */
  TravellingFile(
      String namespace,
      ObjectId id,
      Path file,
      ShardOperations owner,
      ShardOperations pieces,
      long number) {
    this.namespace = namespace;
    this.id = id;
    this.file = file.toAbsolutePath();
    this.owner = owner;
    this.pieces = pieces;
    this.number = number;
  }

  /** For {@link dev.holdfast.recovery.ObjectRecovery#exportTo}. */
  void fetch() {
    try (PendingFile written =
        SqliteObjectFiles.write(disk, new ObjectKey(namespace, id), file, this::fetchInto)) {
      written.publish();
    } catch (ObjectFileException e) {
      throw ofThisFile(e);
    } finally {
      end();
    }
  }

  private void fetchInto(DiskFile target) throws IOException {
    FileSum sum = unchanged(() -> owner.exportFile(namespace, id, number));
    CRC32C crc = new CRC32C();
    long at = 0;
    while (at < sum.bytes()) {
      long offset = at;
      byte[] piece = unchanged(() -> pieces.readFile(namespace, id, number, offset));
      if (piece.length == 0) {
        break;
      }
      target.write(piece, 0, piece.length, at);
      crc.update(piece, 0, piece.length);
      at += piece.length;
    }
    if (!sum.equals(new FileSum(at, (int) crc.getValue()))) {
      throw new IOException("it did not arrive as it was sent; repeat the export");
    }
  }

  /** For {@link dev.holdfast.recovery.ObjectRecovery#importFrom}. */
  void send() {
    try {
      Map<String, FileSum> sums = sendParts();
      owner.importFile(namespace, id, number, sums);
    } catch (ObjectFileException e) {
      throw ofThisFile(e);
    } catch (IOException e) {
      throw failed("cannot be read: " + e.getMessage(), e);
    } finally {
      end();
    }
  }

  private Map<String, FileSum> sendParts() throws IOException {
    if (!Files.isRegularFile(file)) { // of a pipe a read could wait for ever
      throw new IOException(
          Files.exists(file) ? "it is not a regular file" : "the file does not exist");
    }
    long bytes = 0;
    Map<String, Long> sizes = new LinkedHashMap<>();
    for (String suffix : StagedFiles.SUFFIXES) {
      Path part = part(suffix);
      if (Files.isRegularFile(part)) {
        sizes.put(suffix, Files.size(part));
        bytes += Files.size(part);
      }
    }
    long all = bytes;
    long modified = Files.getLastModifiedTime(file).toMillis();
    unchanged(
        () -> {
          owner.beginFile(namespace, id, number, all);
          return true;
        });
    Map<String, FileSum> sums = new LinkedHashMap<>();
    for (Map.Entry<String, Long> each : sizes.entrySet()) {
      sums.put(each.getKey(), send(each.getKey(), each.getValue()));
    }
    if (Files.getLastModifiedTime(file).toMillis() != modified) {
      throw new IOException("it was changed while it was sent; end what writes it");
    }
    return sums;
  }

  private Path part(String suffix) {
    return file.resolveSibling(file.getFileName() + suffix);
  }

  private FileSum send(String suffix, long bytes) throws IOException {
    CRC32C crc = new CRC32C();
    long at = 0;
    do { // also an empty file beside the other one
      long offset = at;
      byte[] piece = StagedFiles.piece(disk, part(suffix), offset);
      if ((piece.length == 0 && at < bytes) || at + piece.length > bytes) {
        throw new IOException("it was changed while it was sent; end what writes it");
      }
      unchanged(
          () -> {
            pieces.writeFile(namespace, id, number, suffix, offset, piece);
            return true;
          });
      crc.update(piece, 0, piece.length);
      at += piece.length;
    } while (at < bytes);
    return new FileSum(at, (int) crc.getValue());
  }

  /** What a step of the way does; none of them changes the object. */
  @FunctionalInterface
  private interface Step<R> {
    R run();
  }

  /** {@return what the step gives; if it is not known whether it was done, nothing was} */
  private <R> R unchanged(Step<R> step) {
    try {
      return step.run();
    } catch (ObjectUnavailableException e) {
      throw e.delivery() == Delivery.NOT_DELIVERED ? e : lost(e);
    } catch (ObjectCallTimeoutException e) {
      throw lost(e);
    }
  }

  private ObjectUnavailableException lost(RuntimeException why) {
    return new ObjectUnavailableException(
        namespace,
        id,
        Delivery.NOT_DELIVERED,
        "The owner of the object was lost, or did not answer, while the file "
            + file
            + " travelled. The object is unchanged, and no file was made: repeat it.",
        why);
  }

  /** The owner deletes the file anyway after a while. */
  private void end() {
    try {
      pieces.endFile(namespace, id, number);
    } catch (RuntimeException e) {
      System.getLogger("dev.holdfast")
          .log(System.Logger.Level.DEBUG, "A file that has travelled was not given back.", e);
    }
  }

  /** The owner has its own name for the file. */
  private ObjectFileException ofThisFile(ObjectFileException found) {
    return found.file().equals(file.toString())
        ? found
        : failed(found.withoutObject().substring(found.file().length() + 1), found);
  }

  private ObjectFileException failed(String message, @Nullable Throwable cause) {
    return new ObjectFileException(namespace, id, file, message, cause);
  }
}
