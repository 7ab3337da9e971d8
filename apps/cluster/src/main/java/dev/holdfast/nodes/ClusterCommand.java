package dev.holdfast.nodes;

import dev.holdfast.launcher.Verb;
import dev.holdfast.launcher.WrongInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The verb {@code cluster}. Created and populated by the command line library. */
@Command(
    name = "cluster",
    description =
        "Prepares nodes of a cluster, operates those that run, makes a node of a data directory,"
            + " recovers the last one, and restores a cluster from its archive.",
    subcommands = {
      ClusterCommand.CertificatesVerb.class,
      NodeVerb.Status.class,
      NodeVerb.Drain.class,
      NodeVerb.Transfer.class,
      NodeVerb.Add.class,
      NodeVerb.Remove.class,
      NodeVerb.Replace.class,
      NodeVerb.Balance.class,
      NodeVerb.Ready.class,
      AdoptVerb.class,
      RecoverVerb.class,
      ClusterRestoreVerb.class
    })
public final class ClusterCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  /** Creates the command; called by the command line library. */
  public ClusterCommand() {}

  /**
   * Runs the verb and ends the process with its exit code.
   *
   * @param options the options of the verb
   */
  public static void main(String[] options) {
    Verb.main(new ClusterCommand(), options);
  }

  @Override
  public Integer call() {
    if (spec == null) {
      throw new IllegalStateException("The command line library has not set the options.");
    }
    throw new ParameterException(
        spec.commandLine(),
        "cluster needs one of: " + String.join(", ", spec.subcommands().keySet()));
  }

  /** {@return the directory of an option that is required; it exists} */
  static Path existing(@Nullable Path directory) {
    if (directory == null) {
      throw new IllegalStateException("The command line library has not set the options.");
    }
    if (!Files.isDirectory(directory)) {
      throw new WrongInputException(directory + " is not a directory.");
    }
    return directory;
  }

  /** The verb {@code cluster certificates}. */
  @Command(
      name = "certificates",
      sortOptions = false,
      description = {
        "Makes an authority and, for each node, a certificate and a key in the PEM format.",
        "The key of the authority is not kept: to add a node later, make all of them again.",
        "Example: ./holdfast cluster certificates --cluster shop --nodes a,b,c --out certificates"
      })
  static final class CertificatesVerb implements Callable<Integer> {

    private static final int DAYS_MAX = 36_500;

    @Option(
        names = "--out",
        paramLabel = "DIR",
        required = true,
        description = "Where the files are written: NODE.pem, NODE.key and ca.pem.")
    private @Nullable Path out;

    @Option(
        names = "--nodes",
        paramLabel = "NAMES",
        split = ",",
        defaultValue = "a,b,c",
        description = "The names of the nodes; default: ${DEFAULT-VALUE}.")
    private List<String> nodes = List.of();

    @Option(
        names = "--cluster",
        paramLabel = "NAME",
        defaultValue = "holdfast",
        description = "The name of the cluster; default: ${DEFAULT-VALUE}.")
    private String cluster = "";

    @Option(
        names = "--days",
        paramLabel = "N",
        defaultValue = "365",
        description = "How long they are valid, 1 to 36500; default: ${DEFAULT-VALUE}.")
    private int days;

    @Override
    public Integer call() throws IOException {
      if (out == null) {
        throw new IllegalStateException("The command line library has not set the options.");
      }
      if (days < 1 || days > DAYS_MAX) {
        throw new WrongInputException("--days must be from 1 to " + DAYS_MAX + ", is " + days);
      }
      if (Files.exists(out.resolve("ca.pem"))) {
        throw new WrongInputException(
            out + " has certificates already. Name another directory, or move them away");
      }
      List<String> names = nodes.stream().map(String::strip).toList();
      try {
        Certificates.write(out, cluster, names, Instant.now(), Duration.ofDays(days));
      } catch (IllegalArgumentException e) {
        throw new WrongInputException(String.valueOf(e.getMessage()));
      }
      System.out.printf(
          "Certificates of %s are in %s, valid for %d days. Give each node its own two files and"
              + " ca.pem; nobody else may read NODE.key.%n",
          String.join(", ", names), out, days);
      return 0;
    }
  }
}
