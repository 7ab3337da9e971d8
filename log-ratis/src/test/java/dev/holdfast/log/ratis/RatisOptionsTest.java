package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.spi.log.NodeId;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RatisOptionsTest {

  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final Path DIRECTORY = Path.of("data");
  private static final InetSocketAddress HERE = new InetSocketAddress("127.0.0.1", 7401);
  private static final InetSocketAddress ELSEWHERE = new InetSocketAddress("192.0.2.1", 7401);

  private static RatisOptions options(Map<NodeId, InetSocketAddress> members) {
    return RatisOptions.onLoopback("shop", A, DIRECTORY, members);
  }

  @TempDir private Path certificates;

  @Test
  void memberOnAnotherMachineNeedsTls() throws Exception {
    Map<NodeId, InetSocketAddress> members = Map.of(A, HERE, B, ELSEWHERE);
    LogTls tls = Certificates.in(certificates);

    assertThatThrownBy(() -> options(members))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("192.0.2.1")
        .hasMessageContaining("TLS");
    assertThat(RatisOptions.withTls("shop", A, DIRECTORY, members, tls).tls()).isEqualTo(tls);
  }

  @Test
  void plaintextBeyondTheMachineMustBeAllowed() {
    RatisOptions here = options(Map.of(A, HERE));

    RatisOptions there =
        new RatisOptions(
            "shop",
            A,
            DIRECTORY,
            Map.of(A, ELSEWHERE),
            /* isAdded= */ false,
            null,
            /* plaintextAllowed= */ true,
            here.failover(),
            here.segmentBytes(),
            here.retainedBytesMax());

    assertThat(there.address()).isEqualTo(ELSEWHERE);
  }

  @Test
  void thisNodeIsAMember() {
    assertThatThrownBy(() -> options(Map.of(B, HERE)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("This node is one of the members");
  }

  @Test
  void numbersHaveRanges() {
    RatisOptions options = options(Map.of(A, HERE));

    assertThat(options.withFailover(Duration.ofMillis(100)).failover()).hasMillis(100);
    assertThatThrownBy(() -> options.withFailover(Duration.ofMillis(99)))
        .hasMessageContaining("failover");
    assertThat(options.withLogBytes(2 << 20, 2 << 20).segmentBytes()).isEqualTo(2 << 20);
    assertThatThrownBy(() -> options.withLogBytes((2 << 20) - 1, 2 << 20))
        .hasMessageContaining("segmentBytes");
    assertThatThrownBy(() -> options.withLogBytes(2 << 20, (2 << 20) - 1))
        .hasMessageContaining("retainedBytesMax");
  }
}
