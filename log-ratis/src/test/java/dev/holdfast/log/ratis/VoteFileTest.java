package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.storage.RaftStorageMetadata;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The term and the vote of a member. */
final class VoteFileTest {

  @TempDir private Path directory;

  private final FaultyDisk disk = new FaultyDisk(new FileDisk());
  private final List<IOException> failures = new ArrayList<>();
  private Path path;
  private VoteFile file;

  @BeforeEach
  void voteForA() throws IOException {
    path = directory.resolve(VoteFile.NAME);
    file = new VoteFile(disk, path, RaftStorageMetadata.getDefault(), failures::add);
    file.persist(vote(7, "a"));
  }

  private static RaftStorageMetadata vote(long term, @Nullable String node) {
    return RaftStorageMetadata.valueOf(term, node == null ? null : RaftPeerId.valueOf(node));
  }

  /** As Ratis reads it. */
  private void assertVote(long term, String node) throws IOException {
    assertThat(Files.readString(path)).isEqualTo("term=" + term + "\nvotedFor=" + node + "\n");
    assertThat(file.getMetadata()).isEqualTo(vote(term, node));
  }

  @Test
  void laterTermsAreWritten() throws IOException {
    assertVote(7, "a");
    file.persist(vote(8, null));
    assertVote(8, "");
    file.persist(vote(8, "b"));
    assertVote(8, "b");
  }

  @Test
  void fullDiskLeavesTheLastVote() throws IOException {
    disk.limitSpace(0);
    assertThatThrownBy(() -> file.persist(vote(8, "b"))).isInstanceOf(IOException.class);
    assertVote(7, "a");
    assertThat(failures).hasSize(1);

    disk.heal();
    file.persist(vote(8, "b"));
    assertVote(8, "b");
  }

  /** Two threads of Ratis may write at once, and the one with the earlier term comes last. */
  @Test
  void earlierTermsAndVotesThatAreTakenBackAreNotWritten() throws IOException {
    file.persist(vote(6, "b"));
    file.persist(vote(7, null));
    assertVote(7, "a");
  }

  @Test
  void secondVoteInATermIsRefused() throws IOException {
    assertThatThrownBy(() -> file.persist(vote(7, "b"))).hasMessageContaining("voted for a");
    assertVote(7, "a");
    assertThat(failures).isEmpty();
  }
}
