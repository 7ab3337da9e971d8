package dev.holdfast.http.monitor.object;

/**
 * The scores of a content of a script, from 1 for certainly malicious to 99. Immutable.
 *
 * @param hash the SHA-256 hash of the content, in hexadecimal
 * @param jsIntegrityScore all in all
 * @param obfuscationScore for hidden code
 * @param dataflowScore for data that leave the page
 * @param malwareScore for known malware
 * @param cryptominingScore for miners
 * @param magecartScore for skimmers
 * @param fetchedAt when it was fetched, as a text
 */
public record ScriptVersion(
    String hash,
    int jsIntegrityScore,
    int obfuscationScore,
    int dataflowScore,
    int malwareScore,
    int cryptominingScore,
    int magecartScore,
    String fetchedAt) {}
