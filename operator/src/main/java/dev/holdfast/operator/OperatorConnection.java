package dev.holdfast.operator;

import dev.holdfast.operator.OperatorException.Reason;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks the process that has a data directory open, through its socket. Each request is a separate
 * connection. Immutable.
 */
public final class OperatorConnection implements OperatorService {

  private final UnixDomainSocketAddress address;

  private OperatorConnection(UnixDomainSocketAddress address) {
    this.address = address;
  }

  /**
   * Finds the socket of a data directory.
   *
   * @param data the data directory
   * @return asks through the socket; empty if no process listens on one
   * @throws IOException if the directory cannot be read, or the socket may not be used
   */
  public static Optional<OperatorConnection> find(Path data) throws IOException {
    Optional<UnixDomainSocketAddress> address = SocketPlace.find(data.toRealPath());
    if (address.isEmpty()) {
      return Optional.empty();
    }
    try (SocketChannel tried = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      tried.connect(address.get());
      return Optional.of(new OperatorConnection(address.get()));
    } catch (ConnectException e) {
      return Optional.empty(); // left by a process that was killed
    }
  }

  /**
   * Has the process perform an operation. Blocks until all answers are given.
   *
   * @param request the operation
   * @param answers receives the answers
   * @return a sentence for a person; null if there is none
   * @throws OperatorException if the operation does not succeed, or the process ends meanwhile
   */
  @Override
  public @Nullable String perform(OperatorRequest request, Answers answers) {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(address);
      Frames frames = new Frames(channel);
      frames.write(Messages.of(request));
      frames.flush();
      Map<?, ? extends @Nullable Object> message;
      do {
        message = frames.read(Frames.ANSWER_BYTES_MAX);
      } while (!Messages.isLast(message, answers));
      return Messages.note(message);
    } catch (IOException e) {
      throw new OperatorException(
          Reason.UNAVAILABLE,
          "The process was asked for "
              + request.verb()
              + ", but the connection ended ("
              + e.getMessage()
              + "); look at its log.",
          e);
    }
  }
}
