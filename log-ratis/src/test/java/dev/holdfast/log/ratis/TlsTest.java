package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.log.NodeId;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes prove themselves to each other. */
final class TlsTest {

  @TempDir private Path directory;

  @Test
  void nodesWithTheSameAuthorityAgreeAndAStrangerIsLeftOut() throws Exception {
    NodeId stranger = ThreeNodes.NAMES.getLast();
    LogTls members = Certificates.in(directory.resolve("m"));
    LogTls strange = Certificates.in(directory.resolve("s"));
    try (ThreeNodes cluster =
        ThreeNodes.open(
            directory,
            options ->
                RatisOptions.withTls(
                        options.cluster(),
                        options.node(),
                        options.directory(),
                        options.members(),
                        options.node().equals(stranger) ? strange : members)
                    .withFailover(options.failover()))) {
      OneShard shard = new OneShard(cluster, 0);
      RecordingReplica left = shard.replica(stranger);
      shard.forget(stranger);

      shard.append("two of three", 16);

      assertThat(left.texts()).isEmpty();
      assertThat(left.leads()).isFalse();
    }
  }
}
