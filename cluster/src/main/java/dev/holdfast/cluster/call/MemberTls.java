package dev.holdfast.cluster.call;

import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.tls.TlsFiles;
import dev.holdfast.spi.log.NodeId;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * How the logs of the nodes prove themselves to each other: with the certificates that calls use,
 * and by the same rule. A certificate is signed by an authority of the cluster and names the node:
 * the one that is expected at an address, or a member. The name of a machine plays no part. Files
 * that have changed are used for the next connection. Thread-safe.
 */
public final class MemberTls {

  private final TlsContext files;
  private final Supplier<Map<NodeId, InetSocketAddress>> members;

  /**
   * Reads the files.
   *
   * @param files the files of this node
   * @param members gives all nodes of now, with the addresses of their logs
   * @param clock says whether the node's own certificate is valid now
   * @param unusable is given why changed files cannot be used
   * @throws ClusterException if the files cannot be used
   */
  public MemberTls(
      TlsFiles files,
      Supplier<Map<NodeId, InetSocketAddress>> members,
      InstantSource clock,
      Consumer<ClusterException> unusable) {
    this.files = new TlsContext(files, clock, unusable);
    this.members = members;
  }

  /** {@return the certificate of this node, and its key} */
  public X509ExtendedKeyManager keys() {
    return new Keys();
  }

  /** {@return what decides whether a certificate belongs to the other node} */
  public X509ExtendedTrustManager trust() {
    return new Trust();
  }

  private void requireMember(X509Certificate shown, @Nullable SSLEngine outgoing)
      throws CertificateException {
    Set<String> names = CertificateNames.of(shown);
    NodeId expected = outgoing == null ? null : memberAt(outgoing);
    boolean isNamed =
        expected != null
            ? names.contains(expected.name())
            : members.get().keySet().stream().anyMatch(member -> names.contains(member.name()));
    if (!isNamed) {
      throw new CertificateException(
          "The certificate names "
              + names
              + ", not "
              + (expected != null ? "node " + expected : "a member of the cluster")
              + ".");
    }
  }

  private @Nullable NodeId memberAt(SSLEngine engine) {
    for (Map.Entry<NodeId, InetSocketAddress> member : members.get().entrySet()) {
      if (member.getValue().getPort() == engine.getPeerPort()
          && member.getValue().getHostString().equals(engine.getPeerHost())) {
        return member.getKey();
      }
    }
    return null;
  }

  private final class Trust extends X509ExtendedTrustManager {

    private X509ExtendedTrustManager authorities() {
      return files.current().trust();
    }

    // Without the engine: with it, the name of the machine would have to be in the certificate.
    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      authorities().checkServerTrusted(chain, type);
      requireMember(chain[0], engine);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      authorities().checkClientTrusted(chain, type);
      requireMember(chain[0], null);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      checkServerTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      checkClientTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      authorities().checkServerTrusted(chain, type);
      requireMember(chain[0], null);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      authorities().checkClientTrusted(chain, type);
      requireMember(chain[0], null);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return authorities().getAcceptedIssuers();
    }
  }

  private final class Keys extends X509ExtendedKeyManager {

    private X509ExtendedKeyManager own() {
      return files.current().keys();
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
        String[] types, Principal @Nullable [] issuers, SSLEngine engine) {
      return own().chooseEngineClientAlias(types, issuers, engine);
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
        String type, Principal @Nullable [] issuers, SSLEngine engine) {
      return own().chooseEngineServerAlias(type, issuers, engine);
    }

    @Override
    public @Nullable String chooseClientAlias(
        String[] types, Principal @Nullable [] issuers, Socket socket) {
      return own().chooseClientAlias(types, issuers, socket);
    }

    @Override
    public @Nullable String chooseServerAlias(
        String type, Principal @Nullable [] issuers, Socket socket) {
      return own().chooseServerAlias(type, issuers, socket);
    }

    @Override
    public String @Nullable [] getClientAliases(String type, Principal @Nullable [] issuers) {
      return own().getClientAliases(type, issuers);
    }

    @Override
    public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
      return own().getServerAliases(type, issuers);
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
      return own().getCertificateChain(alias);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
      return own().getPrivateKey(alias);
    }
  }
}
