package dev.holdfast.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.StoppedDirectory;
import dev.holdfast.faults.MemoryDirectory;
import dev.holdfast.spi.verify.FindingKind;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A stranger can write a backup: its manifest names files elsewhere, and its directory has symbolic
 * links. No tool reads, writes, moves or deletes anything outside of it.
 */
final class HostileBackupTest {

  private static final byte[] MINE = "mine".getBytes(StandardCharsets.UTF_8);

  @TempDir(factory = MemoryDirectory.class)
  private Path parent;

  private Path backup;
  private Path victim;

  @BeforeEach
  void makeBackup() throws IOException {
    Path data = parent.resolve("data");
    backup = parent.resolve("place/backup");
    victim = Files.createDirectories(parent.resolve("victim")).resolve("journal.mark");
    Files.write(victim, MINE);
    SampleDirectory.writeClosed(data, true);
    Holdfast.backup(data, backup);
  }

  /** What a tool does with the backup. */
  private interface Tool {
    void run() throws IOException;
  }

  private Map<String, Tool> tools() {
    Map<String, Tool> tools = new LinkedHashMap<>();
    tools.put("verify", () -> requireDamaged(Verification.run(backup, parent, false)));
    tools.put("inspect", () -> StoppedDirectory.read(backup).close());
    tools.put(
        "restore",
        () ->
            Holdfast.restore(
                backup, parent.resolve("restored"), RestoreRequest.of(new RestoreTarget.Latest())));
    tools.put("repair", () -> Repair.into(backup, parent.resolve("repaired"), parent));
    tools.put("repair in place", () -> Repair.inPlace(backup, parent));
    tools.put("backup", () -> Holdfast.backup(parent.resolve("data"), backup));
    tools.put("open", () -> SampleDirectory.open(backup, true).close());
    return tools;
  }

  private static void requireDamaged(VerifyReport report) throws IOException {
    if (report.findings().stream().anyMatch(each -> each.kind() == FindingKind.BACKUP_DAMAGED)) {
      throw new IOException("damaged");
    }
  }

  private void requireRefusedByAll() throws IOException {
    Map<Path, String> before = content();
    for (Map.Entry<String, Tool> tool : tools().entrySet()) {
      assertThatThrownBy(tool.getValue()::run)
          .describedAs(tool.getKey())
          .isInstanceOfAny(HoldfastException.class, IOException.class);
      assertThat(content()).describedAs(tool.getKey()).isEqualTo(before);
    }
  }

  /** {@return what is outside of the backup} */
  private Map<Path, String> content() throws IOException {
    Map<Path, String> content = new TreeMap<>();
    try (var files = Files.walk(victim.getParent())) {
      for (Path each : (Iterable<Path>) files::iterator) {
        content.put(
            each,
            Files.isRegularFile(each) ? Files.readString(each, StandardCharsets.ISO_8859_1) : "");
      }
    }
    try (var files = Files.list(backup.getParent())) {
      files.forEach(each -> content.put(each, ""));
    }
    return content;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../../victim/journal.mark",
        "journal/../../../victim/journal.mark",
        "sqlite/../../../victim/journal.mark",
        "/etc/hosts",
        "C:\\hosts",
        "sqlite\\..\\x",
        "sqlite//x",
        "sqlite/./x",
        "sqlite/x\u0000y",
        "LOCK",
        "backup.manifest",
        "node",
      })
  void namesOutsideAreRefused(String name) throws IOException {
    Path staged = Files.createDirectories(backup.resolve("backup.new/files"));
    Path next = staged.resolveSibling("manifest");
    Files.write(next, manifest(name));
    Files.write(staged.resolve("x"), MINE);

    requireRefusedByAll();

    Files.delete(next);
    Files.write(backup.resolve("backup.manifest"), manifest(name));
    Path open = backup.resolveSibling("copy");
    SampleDirectory.copy(backup, open);
    Map<Path, String> before = content();
    assertThatThrownBy(() -> Holdfast.backup(parent.resolve("data"), backup))
        .isInstanceOf(HoldfastException.class)
        .hasMessageContaining("names a file that no backup has");
    assertThat(Verification.run(backup, parent, false).findings())
        .anyMatch(each -> each.kind() == FindingKind.BACKUP_DAMAGED);
    assertThat(content()).isEqualTo(before);
  }

  /** A lock that is a pipe would be waited for; a list of terabytes would fill the memory. */
  @Test
  @Timeout(60)
  void filesThatHaveNoEndAreRefused() throws Exception {
    Path manifest = backup.resolve("backup.manifest");
    byte[] before = Files.readAllBytes(manifest);
    for (long bytes : new long[] {1L << 30, 1L << 42}) {
      Files.delete(manifest);
      try (RandomAccessFile sparse = new RandomAccessFile(manifest.toFile(), "rw")) {
        sparse.setLength(bytes);
      }
      requireDamagedBackup();
    }
    assertThatThrownBy(() -> Repair.into(backup, parent.resolve("repaired"), parent))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has no room");
    Files.write(manifest, before);
    for (String lock : List.of("backup.lock", "LOCK")) {
      Path pipe = backup.resolve(lock);
      Files.deleteIfExists(pipe);
      assumeTrue(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0);
      for (Map.Entry<String, Tool> tool : tools().entrySet()) {
        assertThatThrownBy(tool.getValue()::run)
            .describedAs(tool.getKey() + " " + lock)
            .isInstanceOfAny(HoldfastException.class, IOException.class);
      }
      Files.delete(pipe);
    }
  }

  private void requireDamagedBackup() throws IOException {
    assertThat(Verification.run(backup, parent, false).findings())
        .anyMatch(each -> each.kind() == FindingKind.BACKUP_DAMAGED);
  }

  @Test
  void filesThatMoveThroughLinksAreRefused() throws IOException {
    Path staged = Files.createDirectories(backup.resolve("backup.new/files"));
    Files.write(staged.resolveSibling("manifest"), manifest("journal.mark"));
    Files.createSymbolicLink(staged.resolve("journal.mark"), victim);

    requireRefusedByAll();
  }

  @Test
  void stagedFilesElsewhereAreRefused() throws IOException {
    Path staged = Files.createDirectories(backup.resolve("backup.new")).resolve("files");
    Files.write(staged.resolveSibling("manifest"), manifest("journal.mark"));
    Files.createSymbolicLink(staged, victim.getParent());

    requireRefusedByAll();
  }

  @Test
  void stagingElsewhereIsRefused() throws IOException {
    Files.write(victim.resolveSibling("manifest"), manifest("journal.mark"));
    Files.createSymbolicLink(backup.resolve("backup.new"), victim.getParent());

    requireRefusedByAll();
  }

  @Test
  void linksInTheLeftoversAreNotFollowed() throws IOException {
    Path staged = Files.createDirectories(backup.resolve("backup.new/files"));
    Files.createSymbolicLink(staged.resolve("sqlite"), victim.getParent());
    Files.copy(backup.resolve("backup.manifest"), staged.resolveSibling("manifest"));

    try (StoppedDirectory _ = StoppedDirectory.read(backup)) {
      assertThat(victim).hasBinaryContent(MINE);
    } catch (HoldfastException e) {
      assertThat(e).hasMessageContaining("symbolic link");
    }
    assertThat(victim).hasBinaryContent(MINE);
  }

  @Test
  void backupWithALinkDoesNotOpen() throws IOException {
    Path mark = backup.resolve("journal.mark");
    Files.copy(mark, victim, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    byte[] before = Files.readAllBytes(victim);
    Files.delete(mark);
    Files.createSymbolicLink(mark, victim);

    assertThatThrownBy(
            () -> {
              try (ObjectRuntime runtime = SampleDirectory.open(backup, true)) {
                SampleDirectory.write(runtime, "more");
              }
            })
        .isInstanceOf(HoldfastException.class)
        .hasMessageContaining("symbolic link");

    assertThat(victim).hasBinaryContent(before);
  }

  /** {@return a manifest with a right checksum} */
  private byte[] manifest(String name) throws IOException {
    String[] lines = Files.readString(backup.resolve("backup.manifest")).split("\n");
    String text =
        lines[0]
            + "\n"
            + lines[1]
            + "\n"
            + lines[2]
            + "\n"
            + lines[3]
            + "\nfile 4 00000000 - "
            + name
            + "\n";
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    return (text + "end 1 " + String.format("%08x", crc.getValue()) + "\n")
        .getBytes(StandardCharsets.UTF_8);
  }
}
