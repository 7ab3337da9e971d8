package dev.holdfast.verify;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.check.JournalCheck;
import dev.holdfast.journal.shard.ShardDirectories;
import dev.holdfast.journal.shard.StoppedReplica;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.spi.verify.FindingKind;
import dev.holdfast.spi.verify.Severity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks the directory of a node of a cluster, one shard after the other: the segments up to what
 * the node states that it has, and the files of the objects against them. The log of a shard is not
 * read. Confined to one thread.
 */
final class NodeVerification {

  private static final String REPLACE =
      "Replace the node: the others have its data. Without them, a backup of a node can be made a"
          + " cluster of one.";

  private static final String FETCH =
      "Open the node: it fetches sealed segments that are damaged from the owner of the shard. If"
          + " it does not open, replace it: the others have its data.";

  private static final String OPEN_AND_CLOSE =
      "Open the node, close it when it has caught up, and verify it again: a finding that stays is"
          + " damage. Then replace the node: the others have its data.";

  private final Disk disk;
  private final Path data;
  private final Path copies;
  private final boolean isDeep;

  private final List<Finding> findings = new ArrayList<>();
  private final List<VerifyReport.Shard> shards = new ArrayList<>();
  private long readBytes;

  NodeVerification(Disk disk, Path data, Path copies, boolean isDeep) {
    this.disk = disk;
    this.data = data;
    this.copies = copies;
    this.isDeep = isDeep;
  }

  VerifyReport run() throws IOException {
    int shard = 0;
    for (Path directory : ShardDirectories.shards(disk, data)) {
      check(shard++, directory);
    }
    return new VerifyReport(
        findings,
        shards.stream().mapToLong(VerifyReport.Shard::firstPosition).min().orElse(1),
        shards.stream().mapToLong(VerifyReport.Shard::lastPosition).max().orElse(0),
        shards.stream().mapToLong(VerifyReport.Shard::sqliteObjects).sum(),
        shards.stream().mapToLong(VerifyReport.Shard::rocksDbObjects).sum(),
        readBytes,
        shards);
  }

  private void check(int shard, Path directory) throws IOException {
    StoppedReplica replica;
    try {
      replica = StoppedReplica.read(disk, directory);
    } catch (DataDirectoryException e) {
      Path file = e.path();
      reportStated(shard, file == null ? directory : file, String.valueOf(e.getMessage()) + ".");
      return;
    }
    if (replica == null) {
      if (ShardDirectories.isKept(disk, data, shard)) {
        reportStated(
            shard,
            directory.resolve("saved"),
            "The file is missing, and the node keeps the shard.");
      }
      return;
    }
    JournalCheck.Result journal = replica.check(each -> findings.add(ofJournal(shard, each)));
    // What is behind the saved point was read too: all that the files of a killed node can have.
    boolean mayBeAhead = replica.mayFilesBeAhead(journal.lastPosition());
    Path scratch = copies.resolve(directory.getFileName());
    Files.createDirectories(scratch);
    Verification.Objects objects =
        Verification.objects(
            disk,
            directory,
            journal,
            scratch,
            isDeep,
            each -> {
              boolean isMade =
                  each.kind() == FindingKind.ROCKSDB_OLDER && replica.hasOnlySegments();
              findings.add(isMade ? madeLater(shard, each) : ofObjects(shard, mayBeAhead, each));
            });
    FileTree.delete(new FileDisk(), scratch);
    readBytes += journal.readBytes() + objects.readBytes();
    shards.add(
        new VerifyReport.Shard(
            shard,
            journal.records().oldestPosition(),
            journal.lastPosition(),
            objects.sqlite(),
            objects.rocksDb()));
  }

  private void reportStated(int shard, Path file, String meaning) {
    findings.add(
        new Finding(
            Severity.ERROR,
            FindingKind.MARK_DAMAGED,
            file,
            0,
            null,
            named(shard, meaning),
            "The copy of the shard on this node.",
            REPLACE));
  }

  private static String named(int shard, String meaning) {
    return "Shard " + shard + ": " + meaning;
  }

  private static Finding ofJournal(int shard, Finding found) {
    return with(
        found,
        found.severity(),
        named(shard, found.meaning()),
        switch (found.kind()) {
          case INDEX_DAMAGED, VERSION_UNKNOWN -> found.remedy();
          case SEGMENT_MISSING, JOURNAL_SHORT -> REPLACE;
          default -> FETCH;
        });
  }

  private static Finding madeLater(int shard, Finding found) {
    return with(
        found,
        Severity.NOTE,
        named(shard, found.meaning()),
        "Nothing: it is made of the segments when the shard is opened.");
  }

  /**
   * Files that may be ahead of the segments are not those of a state that the segments have; damage
   * looks the same.
   */
  private static Finding ofObjects(int shard, boolean mayBeAhead, Finding found) {
    boolean isKnown =
        !mayBeAhead
            || found.severity() == Severity.NOTE
            || found.kind() == FindingKind.VERSION_UNKNOWN
            || found.kind() == FindingKind.PAYLOAD_MALFORMED;
    if (!isKnown) {
      return with(
          found,
          Severity.WARNING,
          named(shard, found.meaning())
              + " The node was not closed, so its files may have changes that only its log has"
              + " yet.",
          OPEN_AND_CLOSE);
    }
    boolean isRebuilt = found.severity() == Severity.WARNING;
    return with(
        found,
        found.severity(),
        named(shard, found.meaning()),
        found.kind() == FindingKind.VERSION_UNKNOWN || found.kind() == FindingKind.PAYLOAD_MALFORMED
            ? found.remedy()
            : isRebuilt
                ? "Nothing: the node rebuilds it when it owns the shard and uses it."
                : REPLACE);
  }

  private static Finding with(Finding found, Severity severity, String meaning, String remedy) {
    return new Finding(
        severity,
        found.kind(),
        found.file(),
        found.offset(),
        found.object(),
        meaning,
        found.lost().equals(Finding.NOTHING)
            ? found.lost()
            : "Nothing, if another node has the shard. Else: " + found.lost(),
        remedy);
  }
}
