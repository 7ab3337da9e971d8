package dev.holdfast.archive.s3;

import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.ArchiveEntry;
import dev.holdfast.archive.ArchiveStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * An archive in object storage: an entry is an object, added with {@code If-None-Match: *}. The
 * server must honour that; a store does not add anything before it has seen it. Thread-safe.
 *
 * <p>A request that fails is repeated a few times by the client. A repeated write that meets its
 * own first one is recognised by a mark in the object's metadata.
 */
public final class S3Archive implements ArchiveStore {

  private static final Pattern NAME =
      Pattern.compile("[a-z0-9-][a-z0-9.-]*(/[a-z0-9-][a-z0-9.-]*)*");

  /** The metadata of an object that says which call has added it. */
  private static final String CALL = "holdfast-call";

  /** The name of a proof; never that of an entry. */
  private static final String PROOF = "~proof-";

  private static final Duration CONNECTION_MAX = Duration.ofSeconds(10);

  /** How long a server may be silent. */
  private static final Duration SILENCE_MAX = Duration.ofSeconds(30);

  private final S3Client client;
  private final S3Location location;

  /** What all keys begin with. */
  private final String root;

  /** Unique to this store. */
  private final String instance;

  private final AtomicLong calls = new AtomicLong();
  private volatile boolean isProven;

  S3Archive(S3Client client, S3Location location, String instance) {
    this.client = client;
    this.location = location;
    this.root = location.prefix().isEmpty() ? "" : location.prefix() + "/";
    this.instance = instance;
  }

  /**
   * Opens a store with the credentials of the environment: system properties, environment
   * variables, the profile of the user, or the role of the machine.
   *
   * @param location where the archive is
   * @return the store
   * @throws S3RefusedException as {@link #open(S3Location, AwsCredentialsProvider)}
   * @throws IllegalArgumentException if the location has no region and the environment neither
   */
  public static S3Archive open(S3Location location) throws S3RefusedException {
    return open(location, DefaultCredentialsProvider.builder().build());
  }

  /**
   * Opens a store, and proves with a small object that the server refuses the second of two
   * conditional writes; the object is deleted. A server that cannot be reached does not stop the
   * application: then the proof comes before the first entry.
   *
   * @param location where the archive is
   * @param credentials must allow to put, get, list and delete objects
   * @return the store
   * @throws S3RefusedException if the server gives no access, has no such bucket, or does not
   *     honour conditional writes
   * @throws IllegalArgumentException if the location has no region and the environment neither
   */
  public static S3Archive open(S3Location location, AwsCredentialsProvider credentials)
      throws S3RefusedException {
    S3Archive store = openToRead(location, credentials);
    try {
      store.prove();
    } catch (S3RefusedException e) {
      store.close();
      throw e;
    } catch (IOException e) {
      // Not reached: the first entry is added after a proof only.
    }
    return store;
  }

  /**
   * Opens a store to read an archive, such as for a restore, with the credentials of the
   * environment. Sends nothing to the server.
   *
   * @param location where the archive is
   * @return the store
   * @throws IllegalArgumentException if the location has no region and the environment neither
   */
  public static S3Archive openToRead(S3Location location) {
    return openToRead(location, DefaultCredentialsProvider.builder().build());
  }

  /**
   * Opens a store to read an archive, such as for a restore. Sends nothing to the server.
   *
   * @param location where the archive is
   * @param credentials must allow to get and list objects
   * @return the store
   * @throws IllegalArgumentException if the location has no region and the environment neither
   */
  public static S3Archive openToRead(S3Location location, AwsCredentialsProvider credentials) {
    try {
      return new S3Archive(
          builder(location).credentialsProvider(credentials).build(),
          location,
          UUID.randomUUID().toString());
    } catch (SdkException e) {
      throw new IllegalArgumentException(
          "No region for " + location + ": name it, or set AWS_REGION", e);
    }
  }

  /** {@return a client without credentials} */
  static S3ClientBuilder builder(S3Location location) {
    S3ClientBuilder builder =
        S3Client.builder()
            .httpClientBuilder(
                UrlConnectionHttpClient.builder()
                    .connectionTimeout(CONNECTION_MAX)
                    .socketTimeout(SILENCE_MAX));
    if (location.endpoint() != null) {
      builder.endpointOverride(location.endpoint()).forcePathStyle(true);
    }
    if (location.region() != null) {
      builder.region(Region.of(location.region()));
    } else if (location.endpoint() != null) {
      builder.region(Region.US_EAST_1);
    }
    return builder;
  }

  /** Lets the server refuse the second of two conditional writes, unless it did before. */
  private void prove() throws IOException {
    if (isProven) {
      return;
    }
    String name = PROOF + instance;
    ArchiveContent content = ArchiveContent.of(new byte[] {1});
    try {
      put(name, content);
      if (put(name, content)) {
        throw new S3RefusedException(
            "The server of "
                + location
                + " does not honour If-None-Match: two runtimes could overwrite each other's"
                + " archive. Use a server that does, or a directory as the archive",
            null);
      }
    } finally {
      remove(name);
    }
    isProven = true;
  }

  @Override
  public boolean putIfAbsent(String name, ArchiveContent content) throws IOException {
    requireName(name);
    prove();
    return put(name, content);
  }

  private boolean put(String name, ArchiveContent content) throws IOException {
    String call = instance + "-" + calls.incrementAndGet();
    try {
      client.putObject(
          request ->
              request
                  .bucket(location.bucket())
                  .key(root + name)
                  .ifNoneMatch("*")
                  .metadata(Map.of(CALL, call)),
          RequestBody.fromContentProvider(
              () -> bytes(content), content.bytes(), "application/octet-stream"));
      return true;
    } catch (S3Exception e) {
      if (e.statusCode() == 412) {
        return isAddedBy(call, name);
      }
      throw failure("add " + name, e);
    } catch (SdkException | UncheckedIOException e) {
      throw failure("add " + name, e);
    }
  }

  private static InputStream bytes(ArchiveContent content) {
    try {
      return content.open();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * {@return whether a call has added an entry} The client repeats a write that had no answer, and
   * the repetition is refused because the first one was done.
   *
   * <p>Asks with GET, and reads: the JDK's client takes the part of a head that it has for the head
   * if the connection ends within it, so a mark could be missing. A byte of the content shows that
   * the head is whole.
   */
  private boolean isAddedBy(String call, String name) throws IOException {
    try (EntryStream entry = get(name)) {
      if (entry == null) {
        throw new IOException(
            "Cannot add " + name + " to " + location + ": it exists, and then it does not");
      }
      entry.begin();
      return call.equals(entry.metadata().get(CALL));
    }
  }

  @Override
  public @Nullable InputStream open(String name) throws IOException {
    requireName(name);
    return get(name);
  }

  private @Nullable EntryStream get(String name) throws IOException {
    try {
      return new EntryStream(
          client.getObject(request -> request.bucket(location.bucket()).key(root + name)),
          name + " of " + location);
    } catch (NoSuchKeyException e) {
      return null;
    } catch (SdkException e) {
      throw failure("read " + name, e);
    }
  }

  @Override
  public List<ArchiveEntry> list(String prefix, String after, int limit) throws IOException {
    ListObjectsV2Request.Builder request =
        ListObjectsV2Request.builder().bucket(location.bucket()).prefix(root + prefix);
    if (!after.isEmpty()) {
      request.startAfter(root + after);
    }
    List<ArchiveEntry> found = new ArrayList<>();
    String last = after;
    try {
      while (true) {
        ListObjectsV2Response page =
            client.listObjectsV2(request.maxKeys(Math.min(limit - found.size(), 1000)).build());
        if (page.isTruncated() == null) {
          throw new IOException("Cannot list " + prefix + " in " + location + ": no whole answer");
        }
        for (S3Object object : page.contents()) {
          String name = object.key().substring(root.length());
          if (NAME.matcher(name).matches()) { // neither a proof nor what a console calls a folder
            requireAfter(last, name);
            last = name;
            found.add(new ArchiveEntry(name, object.size()));
          }
        }
        if (found.size() >= limit || !page.isTruncated()) {
          return found;
        }
        request.continuationToken(page.nextContinuationToken());
      }
    } catch (SdkException e) {
      throw failure("list " + prefix, e);
    }
  }

  /** What is newest, and what nothing needs any more, is known by the order. */
  private void requireAfter(String last, String name) throws IOException {
    if (name.compareTo(last) <= 0) {
      throw new S3RefusedException(
          "The server of "
              + location
              + " does not list objects in the order of their keys ("
              + name
              + " after "
              + last
              + "), like one with a directory bucket. Use another bucket, or a directory as the"
              + " archive",
          null);
    }
  }

  @Override
  public void delete(String name) throws IOException {
    requireName(name);
    remove(name);
  }

  private void remove(String name) throws IOException {
    try {
      client.deleteObject(request -> request.bucket(location.bucket()).key(root + name));
    } catch (SdkException e) {
      throw failure("delete " + name, e);
    }
  }

  private IOException failure(String what, RuntimeException e) {
    String message = "Cannot " + what + " in " + location + ": " + e.getMessage();
    return e instanceof S3Exception answer && isRefusal(answer.statusCode())
        ? new S3RefusedException(
            message + ". Check the bucket, the region and the credentials", answer)
        : new IOException(message, e);
  }

  /** {@return whether an answer would be the same to the same request} */
  private static boolean isRefusal(int status) {
    return switch (status) {
      case 408, 409, 412, 429 -> false;
      case 501 -> true;
      default -> status >= 300 && status < 500;
    };
  }

  private static void requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("Not a name of an entry: " + name);
    }
  }

  /** {@return the location} */
  @Override
  public String toString() {
    return location.toString();
  }

  @Override
  public void close() {
    client.close();
  }
}
