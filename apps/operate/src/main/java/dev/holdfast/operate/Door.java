package dev.holdfast.operate;

import dev.holdfast.DirectoryInUseException;
import dev.holdfast.cluster.StoppedNode;
import dev.holdfast.embedded.StoppedDirectory;
import dev.holdfast.launcher.RunFailedException;
import dev.holdfast.launcher.WrongInputException;
import dev.holdfast.operator.Answers;
import dev.holdfast.operator.Operations;
import dev.holdfast.operator.OperatorConnection;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.operator.OperatorService;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Performs operations on a data directory: asks the process that has it open, or opens it if none
 * has. Confined to one thread.
 */
public abstract sealed class Door implements AutoCloseable {

  /**
   * Opens the door of a data directory.
   *
   * @param data the directory
   * @param toChange whether an operation changes the directory, if no process has it open
   * @param request what is asked first: a directory that is only read for one object need not be
   *     recovered for all
   * @return the door
   * @throws RunFailedException if a process has the directory open and does not listen
   * @throws IOException if the directory cannot be read
   */
  public static Door open(Path data, boolean toChange, OperatorRequest request) throws IOException {
    Optional<OperatorConnection> running = OperatorConnection.find(data);
    if (running.isPresent()) {
      return new OfProcess(running.get());
    }
    try {
      return toChange ? changed(data) : read(data, request);
    } catch (DirectoryInUseException e) {
      throw new RunFailedException(
          data
              + " is running, started without an operator's socket. Stop the process, or open its"
              + " runtime with RuntimeOptions.withOperatorSocket()");
    }
  }

  private static Door changed(Path data) {
    StoppedDirectory directory = StoppedDirectory.change(data);
    return new OfFiles(new Operations(directory.inspected()), directory::close);
  }

  private static Door read(Path data, OperatorRequest request) {
    boolean isOfOne =
        request.arguments().get("namespace") instanceof String
            && request.arguments().get("object") instanceof String;
    String namespace = String.valueOf(request.arguments().get("namespace"));
    String object = String.valueOf(request.arguments().get("object"));
    if (StoppedNode.isNode(data)) {
      StoppedNode node =
          isOfOne ? StoppedNode.read(data, namespace, object) : StoppedNode.read(data);
      return new OfFiles(node.operations(), node::close);
    }
    StoppedDirectory directory =
        isOfOne ? StoppedDirectory.read(data, namespace, object) : StoppedDirectory.read(data);
    return new OfFiles(new Operations(directory.inspected()), directory::close);
  }

  /**
   * Performs an operation. Blocks until all answers are given.
   *
   * @param request the operation
   * @param answers receives the answers
   * @return a sentence for a person; null if there is none
   * @throws RunFailedException if the operation fails
   * @throws WrongInputException if the request is wrong
   */
  public @Nullable String perform(OperatorRequest request, Answers answers) {
    try {
      return operations().perform(request, answers);
    } catch (OperatorException e) {
      String message = String.valueOf(e.getMessage());
      if (e.reason() == Reason.WRONG_REQUEST) {
        throw new WrongInputException(message);
      }
      throw new RunFailedException(message);
    }
  }

  /** {@return the operations on the directory, for any thread} */
  public abstract OperatorService operations();

  /** {@return whether a process has the directory open, and answers} */
  public abstract boolean isRunning();

  @Override
  public abstract void close();

  private static final class OfProcess extends Door {

    private final OperatorConnection connection;

    OfProcess(OperatorConnection connection) {
      this.connection = connection;
    }

    @Override
    public boolean isRunning() {
      return true;
    }

    @Override
    public OperatorService operations() {
      return connection;
    }

    @Override
    public void close() {}
  }

  private static final class OfFiles extends Door {

    private final OperatorService operations;
    private final Runnable close;

    OfFiles(OperatorService operations, Runnable close) {
      this.operations = operations;
      this.close = close;
    }

    @Override
    public boolean isRunning() {
      return false;
    }

    @Override
    public OperatorService operations() {
      return operations;
    }

    @Override
    public void close() {
      close.run();
    }
  }
}
