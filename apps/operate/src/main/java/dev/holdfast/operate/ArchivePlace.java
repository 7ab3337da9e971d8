package dev.holdfast.operate;

import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.s3.S3Archive;
import dev.holdfast.archive.s3.S3Location;
import dev.holdfast.launcher.WrongInputException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The place of an archive that is read: a directory, or {@code s3://BUCKET/PREFIX}. Populated by
 * the command line library.
 */
public final class ArchivePlace {

  @Option(
      names = "--endpoint",
      paramLabel = "URL",
      description =
          "The server of a STORE that is s3://BUCKET/PREFIX (default: the one of Amazon in the"
              + " region). Credentials come from the environment.")
  private @Nullable URI endpoint;

  @Option(
      names = "--region",
      paramLabel = "REGION",
      description = "The region of the server (default: from the environment).")
  private @Nullable String region;

  /** Creates the options; called by the command line library. */
  public ArchivePlace() {}

  /**
   * {@return whether a store is object storage}
   *
   * @param store a directory, or {@code s3://BUCKET/PREFIX}
   * @throws WrongInputException if it is a directory that has an endpoint or a region
   */
  public boolean isObjectStorage(String store) {
    boolean isObjectStorage = store.startsWith("s3://");
    if (!isObjectStorage && (endpoint != null || region != null)) {
      throw new WrongInputException(
          "--endpoint and --region are for a STORE that is s3://BUCKET/PREFIX, not for " + store);
    }
    return isObjectStorage;
  }

  /**
   * {@return whether a store is object storage, or the directory of an archive}
   *
   * @param store a directory, or {@code s3://BUCKET/PREFIX}
   * @throws WrongInputException if it is a directory that has an endpoint or a region
   */
  public boolean isArchive(String store) {
    return isObjectStorage(store) || Files.isDirectory(Path.of(store, "generations"));
  }

  /**
   * Opens the archive to read it.
   *
   * @param store a directory, or {@code s3://BUCKET/PREFIX}
   * @return the archive, closed by the caller
   * @throws WrongInputException if it is neither, or the options do not fit
   */
  public ArchiveStore open(String store) {
    if (!isObjectStorage(store)) {
      return new DirectoryArchive(Path.of(store));
    }
    try {
      S3Location location = S3Location.parse(store);
      if (endpoint != null) {
        location = location.withEndpoint(endpoint);
      }
      return S3Archive.openToRead(region == null ? location : location.withRegion(region));
    } catch (IllegalArgumentException e) {
      throw new WrongInputException(String.valueOf(e.getMessage()));
    }
  }
}
