package dev.holdfast.operate.restore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.s3.S3Archive;
import dev.holdfast.archive.s3.S3Location;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.launcher.Verb;
import dev.holdfast.operate.verify.RepairCommand;
import dev.holdfast.operate.verify.VerifyCommand;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.nio2blob.FilesystemNio2BlobStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An archive in object storage, as an operator uses it: on a server, with the credentials set. */
final class ObjectStorageTest {

  private static final String STORE = "s3://archives/orders";

  @TempDir Path directory;

  private S3Proxy server;

  /** Keeps a text. */
  public interface Note {

    /** Replaces the text. */
    void write(String text);

    /** Returns the text. */
    String read();
  }

  private record NoteObject(ObjectContext context) implements Note {

    @Override
    public void write(String text) {
      context.storage().put("text", text);
    }

    @Override
    public String read() {
      return context.storage().get("text", String.class).orElse("");
    }
  }

  @BeforeEach
  void start() throws Exception {
    Path objects = directory.resolve("objects");
    Files.createDirectories(objects.resolve("archives")); // a bucket
    server =
        S3Proxy.builder()
            .endpoint(URI.create("http://127.0.0.1:0"))
            .awsAuthentication(AuthenticationType.AWS_V4, "someone", "a-secret")
            .stopTimeout(0)
            .blobStore(new FilesystemNio2BlobStore(objects.toString()))
            .build();
    server.start();
    System.setProperty("aws.accessKeyId", "someone");
    System.setProperty("aws.secretAccessKey", "a-secret");
  }

  @AfterEach
  void stop() throws Exception {
    System.clearProperty("aws.accessKeyId");
    System.clearProperty("aws.secretAccessKey");
    server.stop();
  }

  private String endpoint() {
    return "http://127.0.0.1:" + server.getPort();
  }

  private ObjectRuntime open(String data, RuntimeOptions options) {
    return Holdfast.open(
        directory.resolve(data),
        objects -> objects.options(options).namespace("notes", Note.class, NoteObject::new));
  }

  @Test
  void archiveIsWrittenVerifiedAndRestored() throws Exception {
    S3Location location = S3Location.parse(STORE).withEndpoint(URI.create(endpoint()));
    RuntimeOptions options =
        RuntimeOptions.DEFAULT.withArchive(ArchiveOptions.to(S3Archive.open(location)));
    try (ObjectRuntime runtime = open("data", options)) {
      runtime.namespace("notes", Note.class).getByName("a").write("kept");
    }
    assertThat(
            Verb.run(
                new VerifyCommand(), "--data", STORE, "--endpoint", endpoint(), "--region", "here"))
        .isZero();
    assertThat(restore("--endpoint", endpoint())).isZero();
    try (ObjectRuntime runtime = open("restored", RuntimeOptions.DEFAULT)) {
      assertThat(runtime.namespace("notes", Note.class).getByName("a").read()).isEqualTo("kept");
    }
  }

  @Test
  void damagedJournalIsRepairedFromTheArchive() throws Exception {
    S3Location location = S3Location.parse(STORE).withEndpoint(URI.create(endpoint()));
    RuntimeOptions options =
        RuntimeOptions.DEFAULT.withArchive(ArchiveOptions.to(S3Archive.open(location)));
    try (ObjectRuntime runtime = open("data", options)) {
      for (String name : List.of("a", "b", "c")) {
        runtime.namespace("notes", Note.class).getByName(name).write("kept " + name);
      }
    }
    Path segment = directory.resolve("data/journal/0000000000000001.log");
    byte[] bytes = Files.readAllBytes(segment);
    bytes[4096 + 70] ^= 1; // in the first group
    Files.write(segment, bytes);
    assertThat(Verb.run(new VerifyCommand(), "--data", directory.resolve("data").toString()))
        .isEqualTo(1);
    assertThat(repair("without")).isEqualTo(1);
    assertThat(repair("repaired", "--from", STORE, "--endpoint", endpoint())).isZero();
    assertThat(repair("wrong", "--endpoint", endpoint())).isEqualTo(2);
    assertThat(repair("wrong", "--from", directory.toString())).isEqualTo(2);
    assertThat(
            Verb.run(
                new VerifyCommand(), "--data", directory.resolve("repaired").toString(), "--deep"))
        .isZero();
    try (ObjectRuntime runtime = open("repaired", RuntimeOptions.DEFAULT)) {
      assertThat(runtime.namespace("notes", Note.class).getByName("b").read()).isEqualTo("kept b");
    }
  }

  private int repair(String target, String... more) {
    List<String> options = new ArrayList<>();
    options.add("--data");
    options.add(directory.resolve("data").toString());
    options.add("--to");
    options.add(directory.resolve(target).toString());
    options.addAll(List.of(more));
    return Verb.run(new RepairCommand(), options.toArray(String[]::new));
  }

  @Test
  void placeWithoutAnArchiveIsReported() {
    assertThat(restore("--endpoint", endpoint())).isEqualTo(1);
    assertThat(restore("--endpoint", "nowhere")).isEqualTo(2);
    assertThat(
            Verb.run(
                new VerifyCommand(),
                "--data",
                directory.toString(),
                "--endpoint",
                "http://127.0.0.1"))
        .isEqualTo(2);
    assertThat(directory.resolve("restored")).doesNotExist();
  }

  private int restore(String... more) {
    String[] options = new String[4 + more.length];
    options[0] = "--from";
    options[1] = STORE;
    options[2] = "--to";
    options[3] = directory.resolve("restored").toString();
    System.arraycopy(more, 0, options, 4, more.length);
    return Verb.run(new RestoreCommand(), options);
  }
}
