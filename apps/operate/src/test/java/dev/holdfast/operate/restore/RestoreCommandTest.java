package dev.holdfast.operate.restore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.launcher.Verb;
import dev.holdfast.operate.verify.VerifyCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The verb as an operator uses it. */
final class RestoreCommandTest {

  @TempDir Path directory;

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

  private ObjectRuntime open(String data, RuntimeOptions options) {
    return Holdfast.open(
        directory.resolve(data),
        objects -> objects.options(options).namespace("notes", Note.class, NoteObject::new));
  }

  private void archive() {
    RuntimeOptions options =
        RuntimeOptions.DEFAULT.withArchive(
            ArchiveOptions.to(new DirectoryArchive(directory.resolve("archive"))));
    try (ObjectRuntime runtime = open("data", options)) {
      Note note = runtime.namespace("notes", Note.class).getByName("a");
      note.write("first");
      note.write("second");
    }
  }

  private int restore(String to, String... more) {
    return restoreFrom("archive", to, more);
  }

  private int restoreFrom(String from, String to, String... more) {
    String[] options = new String[4 + more.length];
    options[0] = "--from";
    options[1] = directory.resolve(from).toString();
    options[2] = "--to";
    options[3] = directory.resolve(to).toString();
    System.arraycopy(more, 0, options, 4, more.length);
    return Verb.run(new RestoreCommand(), options);
  }

  private String text(String data) {
    try (ObjectRuntime runtime = open(data, RuntimeOptions.DEFAULT)) {
      return runtime.namespace("notes", Note.class).getByName("a").read();
    }
  }

  @Test
  void verbRestoresTheLatestStateAPositionAndOneObject() {
    archive();
    assertThat(restore("latest")).isZero();
    assertThat(text("latest")).isEqualTo("second");
    assertThat(restore("position", "--at", "1", "--json")).isZero();
    assertThat(text("position")).isEqualTo("first");
    assertThat(restore("object", "--namespace", "notes", "--object", "a")).isZero();
    assertThat(text("object")).isEqualTo("second");
    assertThat(restore("other", "--namespace", "others")).isZero();
    assertThat(text("other")).isEmpty();
  }

  @Test
  void verbRestoresDataDirectoriesAndBackups() {
    archive();
    Holdfast.backup(directory.resolve("data"), directory.resolve("backup"));
    for (String from : new String[] {"data", "backup"}) {
      assertThat(restoreFrom(from, from + "-latest")).isZero();
      assertThat(text(from + "-latest")).isEqualTo("second");
      assertThat(restoreFrom(from, from + "-position", "--at", "1", "--json")).isZero();
      assertThat(text(from + "-position")).isEqualTo("first");
      assertThat(
              restoreFrom(
                  from, from + "-one", "--at", "1", "--namespace", "notes", "--object", "a"))
          .isZero();
      assertThat(text(from + "-one")).isEqualTo("first");
      assertThat(restoreFrom(from, "b", "--at", "1000")).isEqualTo(1);
    }
    assertThat(restoreFrom("nothing", "b")).isEqualTo(2);
  }

  @Test
  void archiveIsVerifiedByItsDirectory() throws Exception {
    archive();
    String place = directory.resolve("archive").toString();
    assertThat(Verb.run(new VerifyCommand(), new String[] {"--data", place})).isZero();
    Path chunk = directory.resolve("archive/journal/0000000000000001/0000000000000001.chunk");
    byte[] bytes = Files.readAllBytes(chunk);
    bytes[bytes.length / 2] ^= 1;
    Files.write(chunk, bytes);
    assertThat(Verb.run(new VerifyCommand(), new String[] {"--data", place, "--json"}))
        .isEqualTo(1);
  }

  @Test
  void whatCannotBeRestoredIsReportedAndLeavesNothing() throws Exception {
    assertThat(restore("a")).as("no archive").isEqualTo(2);
    archive();
    assertThat(restore("b", "--at", "yesterday")).isEqualTo(2);
    assertThat(restore("b", "--at", "0")).isEqualTo(2);
    assertThat(restore("b", "--object", "a")).isEqualTo(2);
    assertThat(restore("b", "--at", "1000")).isEqualTo(1);
    assertThat(restore("b", "--at", "2000-01-01T00:00:00Z")).isEqualTo(1);
    assertThat(restore("data")).isEqualTo(1);
    Files.write(directory.resolve("file"), new byte[1]);
    assertThat(restore("file")).isEqualTo(1);
    try (var entries = Files.list(directory)) {
      assertThat(entries.map(each -> each.getFileName().toString()))
          .containsExactlyInAnyOrder("archive", "data", "file");
    }
  }
}
