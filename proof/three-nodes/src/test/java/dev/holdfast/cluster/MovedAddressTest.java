package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectContext;
import dev.holdfast.cluster.tls.CertificateAuthority;
import dev.holdfast.cluster.tls.TlsFiles;
import dev.holdfast.faults.FreePorts;
import dev.holdfast.faults.Polling;
import dev.holdfast.faults.TestProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members are known by DNS name, and the address of a machine changes. */
final class MovedAddressTest {

  @TempDir private Path directory;

  /** In a process that has a file for its name service: it cannot be given to one that runs. */
  @Test
  void nodeWithAnotherAddressBehindItsNameIsReachedByCallsAndLogs() throws Exception {
    TestProcess.of(Nodes.class, directory.toString())
        .options(
            "-Djdk.net.hosts.file=" + Nodes.hosts(directory),
            // How long names are kept, in seconds; 30 otherwise.
            "-Dsun.net.inetaddr.ttl=1",
            "-Dnetworkaddress.cache.ttl=1",
            "--sun-misc-unsafe-memory-access=allow")
        .run();
  }

  interface Sum {
    long add();
  }

  record SumObject(ObjectContext context) implements Sum {
    @Override
    public long add() {
      long next = context.storage().get("sum", Long.class).orElse(0L) + 1;
      context.storage().put("sum", next);
      return next;
    }
  }

  /** Three nodes, one of which gets another address. */
  static final class Nodes implements AutoCloseable {

    private static final List<String> NAMES = List.of("a", "b", "c");
    private static final int SHARDS = 3;
    private static final Duration READY = Duration.ofMinutes(2);

    private final Path directory;
    private final Map<String, String> addresses = new TreeMap<>();
    private final Map<String, ClusterRuntime> open = new TreeMap<>();
    private final String[] members;

    private Nodes(Path directory) throws Exception {
      this.directory = directory;
      List<Integer> ports = FreePorts.pairs(NAMES.size());
      this.members =
          NAMES.stream()
              .map(name -> name + "=" + name + ".shop:" + ports.get(NAMES.indexOf(name)))
              .toArray(String[]::new);
      Instant now = Instant.now();
      CertificateAuthority authority =
          CertificateAuthority.of("shop", now, now.plus(Duration.ofDays(1)));
      for (String name : NAMES) {
        authority.write(directory, name, now, now.plus(Duration.ofDays(1)));
      }
    }

    static Path hosts(Path directory) {
      return directory.resolve("hosts");
    }

    /** Runs it; the exit code is 0 if everything is as it should be. */
    public static void main(String[] arguments) throws Exception {
      try (Nodes nodes = new Nodes(Path.of(arguments[0]))) {
        nodes.run();
      }
    }

    private void run() throws Exception {
      for (String name : NAMES) {
        resolve(name, "127.64.13." + (NAMES.indexOf(name) + 1));
      }
      for (String name : NAMES) {
        open(name);
      }
      awaitReady();
      add(1);
      ClusterRuntime old = open.remove("c");
      old.close();
      add(2);

      resolve("c", "127.64.13.9");
      // This process kept the old one for a moment; a machine that has just begun has not.
      while (!InetAddress.getByName("c.shop").getHostAddress().equals("127.64.13.9")) {
        Polling.pause();
      }
      open("c");
      awaitReady();
      // What a and b have written since has to reach the log of c.
      while (open.get("a").whyNotToStop().isPresent()) {
        Polling.pause();
      }
      for (int shard = 0; shard < SHARDS; shard++) {
        ThreeNodes.move(open.get("a"), shard, "c");
      }
      awaitReady();
      add(3);
    }

    private void add(long expected) throws Exception {
      for (String name : List.of("1", "2", "3", "4", "5", "6")) {
        ClusterRuntime caller = new ArrayList<>(open.values()).get((int) expected % open.size());
        assertThat(
                ThreeNodes.known(() -> caller.namespace("sums", Sum.class).getByName(name).add()))
            .isEqualTo(expected);
      }
    }

    private void resolve(String name, String address) throws IOException {
      addresses.put(name, address);
      StringBuilder hosts = new StringBuilder();
      addresses.forEach((each, at) -> hosts.append("%s %s.shop%n".formatted(at, each)));
      Files.writeString(hosts(directory), hosts);
    }

    private void open(String name) {
      open.put(
          name,
          ClusterHoldfast.open(
              directory.resolve(name),
              ClusterOptions.of("shop")
                  .node(name)
                  .members(members)
                  .withShards(SHARDS)
                  .withTls(
                      TlsFiles.of(
                          directory.resolve(name + ".pem"),
                          directory.resolve(name + ".key"),
                          directory.resolve("ca.pem")))
                  .withBalancing(false)
                  .withFailover(Duration.ofSeconds(2)),
              objects -> objects.namespace("sums", Sum.class, SumObject::new)));
    }

    private void awaitReady() throws InterruptedException {
      for (ClusterRuntime each : open.values()) {
        assertThat(each.awaitReady(READY)).as(() -> each.shards().toString()).isTrue();
      }
    }

    @Override
    public void close() {
      open.values().parallelStream().forEach(ClusterRuntime::close);
    }
  }
}
