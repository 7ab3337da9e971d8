package dev.holdfast.nodes;

import dev.holdfast.cluster.ClusterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A node that runs in a separate process, as its parent describes it. Immutable.
 *
 * @param name the name of the node
 * @param address where it takes calls, as host and port
 * @param directory of the node
 * @param certificates the directory of the certificates
 * @param shards the number of shards of the cluster
 * @param members as {@link ClusterOptions#members} takes them; a node that is not among them waits
 *     until it is added
 */
public record NodePlace(
    String name,
    String address,
    Path directory,
    Path certificates,
    int shards,
    List<String> members) {

  static final String CLUSTER = "local";
  private static final Duration FAILOVER = Duration.ofSeconds(1);

  /** How many words {@link #toArguments} returns. */
  public static final int ARGUMENTS = 6;

  /** Copies the list. */
  public NodePlace {
    members = List.copyOf(members);
  }

  /** {@return what a child process gets} */
  public List<String> toArguments() {
    return List.of(
        name,
        address,
        directory.toString(),
        certificates.toString(),
        String.valueOf(shards),
        String.join(",", members));
  }

  /**
   * {@return what a child process got}
   *
   * @param arguments the first {@value #ARGUMENTS} come from {@link #toArguments}
   */
  public static NodePlace ofArguments(String[] arguments) {
    return new NodePlace(
        arguments[0],
        arguments[1],
        Path.of(arguments[2]),
        Path.of(arguments[3]),
        Integer.parseInt(arguments[4]),
        List.of(arguments[5].split(",", -1)));
  }

  /** {@return the node as others name it: {@code name=host:port}} */
  String member() {
    return name + "=" + address;
  }

  /** {@return the options of the node} */
  public ClusterOptions options() {
    return ClusterOptions.of(CLUSTER)
        .node(name, address)
        .members(members.toArray(String[]::new))
        .withShards(shards)
        .withFailover(FAILOVER)
        .withTls(Certificates.of(certificates, name));
  }
}
