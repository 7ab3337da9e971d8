package dev.holdfast.cluster.call;

import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.frame.Frame.Refused;
import dev.holdfast.cluster.frame.FrameException;
import dev.holdfast.cluster.frame.RefusalReason;
import java.io.EOFException;
import java.io.IOException;
import java.io.Serial;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** What errors of a connection mean for an operator. Stateless. */
final class ConnectionErrors {

  private ConnectionErrors() {}

  static ClusterException lost(String where, @Nullable Throwable cause) {
    return new ClusterException(
        Reason.CONNECTION_LOST, "The connection to " + where + " has ended.", cause);
  }

  /** Finds out what an error of the network means for an operator. */
  static ClusterException explained(IOException failure, String where) {
    if (hasCause(failure, CertificateExpiredException.class)
        || hasCause(failure, CertificateNotYetValidException.class)) {
      return new ClusterException(
          Reason.CERTIFICATE_EXPIRED,
          "The certificate of "
              + where
              + " has expired, or is not valid yet. Replace it there, and check the clocks.",
          failure);
    }
    if (hasCause(failure, CertPathValidatorException.class)
        || hasCause(failure, CertPathBuilderException.class)) {
      return new ClusterException(
          Reason.CERTIFICATE_REFUSED,
          "The certificate of "
              + where
              + " is not signed by an authority of this cluster. Give it a certificate of this"
              + " cluster's authority, or add its authority to the file of authorities.",
          failure);
    }
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof FrameException) {
      return new ClusterException(
          Reason.PROTOCOL,
          "What "
              + where
              + " sent is not the call protocol: "
              + message
              + ". Check that the address belongs to a node, and that both nodes have certificates"
              + " or neither.",
          failure);
    }
    if (failure instanceof SocketTimeoutException) {
      return new ClusterException(
          Reason.CONNECTION_LOST,
          "Nothing was heard from "
              + where
              + " for too long. Check the node and the network; the connection is opened again with"
              + " the next call.",
          failure);
    }
    if (failure instanceof SSLException) {
      // A node that is killed, or a relay whose target does not run: nothing is wrong with TLS.
      return hasCause(failure, EOFException.class) || hasCause(failure, SocketException.class)
          ? new ClusterException(
              Reason.CONNECTION_LOST,
              "The connection to "
                  + where
                  + " has ended before TLS was agreed on. Check that the node runs; if it does,"
                  + " that both nodes have certificates.",
              failure)
          : ofTls(message, where, failure);
    }
    return lost(where, failure);
  }

  private static boolean hasCause(Throwable failure, Class<? extends Throwable> type) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (type.isInstance(each)) {
        return true;
      }
    }
    return false;
  }

  private static ClusterException ofTls(String message, String where, IOException failure) {
    if (message.contains("certificate_expired")) {
      return new ClusterException(
          Reason.CERTIFICATE_EXPIRED,
          "The certificate of this node has expired, says "
              + where
              + ". Replace it; it is read without a restart.",
          failure);
    }
    if (message.contains("certificate") || message.contains("unknown_ca")) {
      return new ClusterException(
          Reason.CERTIFICATE_REFUSED,
          "The certificate of this node was refused by "
              + where
              + ". Compare the files of authorities of both nodes.",
          failure);
    }
    return new ClusterException(
        Reason.PROTOCOL,
        "TLS with "
            + where
            + " failed: "
            + message
            + ". Check that both nodes have certificates, and that the address belongs to a node.",
        failure);
  }

  static ClusterException refusal(Refused refused, String where) {
    Reason reason =
        switch (refused.reason()) {
          case CLUSTER_NAME -> Reason.CLUSTER_NAME;
          case NODE_ID -> Reason.NODE_ID;
          case INCARNATION, OTHER_DIRECTORY -> Reason.INCARNATION;
          case NOT_A_MEMBER -> Reason.NOT_A_MEMBER;
          case VERSION -> Reason.VERSION;
          case CERTIFICATE_NAME -> Reason.CERTIFICATE_NAME;
          case MEMBERS -> Reason.MEMBERS;
          case SHARDS -> Reason.SHARDS;
          case RECOVERED -> Reason.RECOVERED;
          case REMOVED -> Reason.REMOVED;
          case STARTING -> Reason.STARTING;
          default -> Reason.PROTOCOL;
        };
    return new ClusterException(
        reason,
        "This node was refused by " + where + ": " + refused.message(),
        new RefusedByPeer(refused.reason(), refused.message()));
  }

  /** The cause of an error that the other side has found. */
  static final class RefusedByPeer extends Exception {

    @Serial static final long serialVersionUID = 1L;

    private final RefusalReason reason;

    RefusedByPeer(RefusalReason reason, String message) {
      super(message, null, /* enableSuppression= */ false, /* writableStackTrace= */ false);
      this.reason = reason;
    }

    RefusalReason reason() {
      return reason;
    }
  }

  /** The cause of a refusal: the node is none of a cluster yet, as is planned. */
  static final class WaitsToBeAdded extends Exception {

    @Serial static final long serialVersionUID = 1L;

    WaitsToBeAdded() {
      super(null, null, /* enableSuppression= */ false, /* writableStackTrace= */ false);
    }
  }

  /** The cause of a refusal: the node has another data directory than is known. */
  static final class OtherDirectory extends Exception {

    @Serial static final long serialVersionUID = 1L;

    OtherDirectory() {
      super(null, null, /* enableSuppression= */ false, /* writableStackTrace= */ false);
    }
  }
}
