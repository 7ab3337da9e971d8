package dev.holdfast.nodes;

import dev.holdfast.launcher.PlainText;
import dev.holdfast.launcher.RunFailedException;
import dev.holdfast.launcher.WrongInputException;
import dev.holdfast.operator.Answers;
import dev.holdfast.operator.OperatorConnection;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.operator.OperatorRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A verb that a running node performs, asked through the operator's socket in its directory. */
abstract sealed class NodeVerb implements Callable<Integer> {

  @Option(
      names = "--data",
      paramLabel = "DIR",
      required = true,
      description = "The data directory of a node that runs on this machine.")
  private @Nullable Path data;

  /** Asks the node, and prints its note. */
  final Integer ask(OperatorRequest request, Answers answers) throws IOException {
    Path directory = ClusterCommand.existing(data);
    OperatorConnection node =
        OperatorConnection.find(directory)
            .orElseThrow(
                () ->
                    new RunFailedException(
                        "No node listens in "
                            + directory
                            + ". Start it on this machine, and register its objects with"
                            + " RuntimeOptions.withOperatorSocket()"));
    try {
      String note = node.perform(request, answers);
      if (note != null) {
        System.out.println(PlainText.line(note));
      }
      return 0;
    } catch (OperatorException e) {
      String message = String.valueOf(e.getMessage());
      if (e.reason() == Reason.WRONG_REQUEST) {
        throw new WrongInputException(message);
      }
      throw new RunFailedException(message);
    }
  }

  private static void nothing(Map<String, @Nullable Object> answer) {
    throw new IllegalStateException("The node gave an answer that is not known: " + answer);
  }

  /** The verb {@code cluster status}. */
  @Command(
      name = "status",
      sortOptions = false,
      description = {
        "Prints the members and the shards of a cluster as a node sees them, or as each does.",
        "Example: ./holdfast cluster status --data data/a"
      })
  static final class Status extends NodeVerb {

    @Option(names = "--json", description = "Print a JSON document.")
    private boolean isJson;

    @Option(
        names = "--all",
        description = "Have every member say how it is; with --json, an array of their documents.")
    private boolean isOfAll;

    @Override
    public Integer call() throws IOException {
      List<Map<String, @Nullable Object>> answers = new ArrayList<>();
      int code =
          ask(OperatorRequest.of(isOfAll ? "cluster-nodes" : "cluster-status"), answers::add);
      if (isJson) {
        System.out.print(ClusterStatus.json(isOfAll ? answers : answers.getFirst()));
      } else {
        for (Map<String, @Nullable Object> answer : answers) {
          System.out.print(ClusterStatus.text(answer));
        }
      }
      return code;
    }
  }

  /** The verb {@code cluster drain}. */
  @Command(
      name = "drain",
      sortOptions = false,
      description = {
        "Moves all shards of a node to others. It takes none again until it is opened again.",
        "Example: ./holdfast cluster drain --data data/a"
      })
  static final class Drain extends NodeVerb {

    @Override
    public Integer call() throws IOException {
      return ask(OperatorRequest.of("cluster-drain"), NodeVerb::nothing);
    }
  }

  /** The verb {@code cluster transfer}. */
  @Command(
      name = "transfer",
      sortOptions = false,
      description = {
        "Moves a shard to a node, from whichever node owns it. Any node can be asked.",
        "Example: ./holdfast cluster transfer --data data/a --shard 3 --to b"
      })
  static final class Transfer extends NodeVerb {

    @Option(
        names = "--shard",
        paramLabel = "N",
        required = true,
        description = "The number of the shard, from 0.")
    private int shard;

    @Option(
        names = "--to",
        paramLabel = "NODE",
        required = true,
        description = "The member that is to own it.")
    private String to = "";

    @Override
    public Integer call() throws IOException {
      return ask(
          OperatorRequest.of("cluster-transfer").with("shard", (long) shard).with("to", to),
          NodeVerb::nothing);
    }
  }

  /** A verb about a node and its address. Populated by the command line library. */
  abstract static sealed class OfMember extends NodeVerb {

    @Option(
        names = "--member",
        paramLabel = "NAME=HOST:PORT",
        required = true,
        description = "The node, and where it takes calls.")
    private String member = "";

    /** Asks for a change of the member. */
    final Integer askOfMember(String operation) throws IOException {
      return ask(OperatorRequest.of(operation).with("member", member), NodeVerb::nothing);
    }
  }

  /** The verb {@code cluster add}. */
  @Command(
      name = "add",
      sortOptions = false,
      description = {
        "Adds a node to a running cluster. The node runs with an empty directory, and waits. If"
            + " this fails, repeat it.",
        "Example: ./holdfast cluster add --data data/a --member d=10.0.0.4:7400"
      })
  static final class Add extends OfMember {

    @Override
    public Integer call() throws IOException {
      return askOfMember("cluster-add");
    }
  }

  /** The verb {@code cluster remove}. */
  @Command(
      name = "remove",
      sortOptions = false,
      description = {
        "Removes a node, which runs or is lost for good, from a cluster of at least 4 members,"
            + " shard after shard. If this fails, repeat it. Ask another node than the one that"
            + " goes.",
        "Example: ./holdfast cluster remove --data data/a --node c"
      })
  static final class Remove extends NodeVerb {

    @Option(
        names = "--node",
        paramLabel = "NODE",
        required = true,
        description = "The member that is removed.")
    private String node = "";

    @Override
    public Integer call() throws IOException {
      return ask(OperatorRequest.of("cluster-remove").with("node", node), NodeVerb::nothing);
    }
  }

  /** The verb {@code cluster replace}. */
  @Command(
      name = "replace",
      sortOptions = false,
      description = {
        "Lets a node that has lost its directory come back under its name with an empty one. Start"
            + " it as ever; it is waited for. If this fails, repeat it.",
        "Example: ./holdfast cluster replace --data data/a --member c=10.0.0.3:7400"
      })
  static final class Replace extends OfMember {

    @Override
    public Integer call() throws IOException {
      return askOfMember("cluster-replace");
    }
  }

  /** The verb {@code cluster balance}. */
  @Command(
      name = "balance",
      sortOptions = false,
      description = {
        "Evens copies and owners of shards over the nodes now, one step after the other. A cluster"
            + " does that by itself, unless it is off.",
        "Example: ./holdfast cluster balance --data data/a --dry-run"
      })
  static final class Balance extends NodeVerb {

    @ArgGroup(exclusive = true)
    private @Nullable What what;

    private static final class What {

      @Option(names = "--dry-run", description = "Print the steps that are left, and take none.")
      private boolean isDryRun;

      @Option(names = "--off", description = "Even nothing from now on, until --on.")
      private boolean isOff;

      @Option(names = "--on", description = "Even the cluster from now on.")
      private boolean isOn;
    }

    @Override
    public Integer call() throws IOException {
      OperatorRequest request = OperatorRequest.of("cluster-balance");
      What asked = what;
      if (asked != null) {
        request =
            asked.isDryRun
                ? request.with("dryRun", true)
                : request.with("off", asked.isOff && !asked.isOn);
      }
      return ask(
          request,
          answer -> System.out.println(PlainText.line(String.valueOf(answer.get("step")))));
    }
  }

  /** The verb {@code cluster ready}. */
  @Command(
      name = "ready",
      sortOptions = false,
      description = {
        "Says whether a node can be stopped now: all of its shards have an owner, and the other"
            + " copies have caught up. Ends with 0 if it can.",
        "Example: ./holdfast cluster ready --data data/a"
      })
  static final class Ready extends NodeVerb {

    @Override
    public Integer call() throws IOException {
      return ask(OperatorRequest.of("cluster-ready"), NodeVerb::nothing);
    }
  }
}
