package io.holdfast.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Certificates that sign themselves, which the JDK's keytool makes for a test class, in
 * key stores of their own.
 */
public final class Certificates {

	public static final String PASSWORD = "store-secret";

	private final Path directory;

	public Certificates(Path directory, Map<String, String> hosts) throws IOException, InterruptedException {
		this.directory = directory;
		List<Process> makers = new ArrayList<>();
		for (Map.Entry<String, String> entry : hosts.entrySet()) {
			makers.add(new ProcessBuilder(command(entry.getKey(), entry.getValue())).redirectErrorStream(true).start());
		}
		for (Process maker : makers) {
			String output = new String(maker.getInputStream().readAllBytes());
			if (maker.waitFor() != 0) {
				throw new IllegalStateException("No certificate was made: " + output);
			}
		}
	}

	private List<String> command(String name, String hosts) {
		return List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-J-XX:TieredStopAtLevel=1", "-genkeypair", "-keyalg", "EC", "-alias", name, "-dname", "CN=" + name,
				"-ext", "SAN=" + hosts, "-validity", "2", "-storetype", "PKCS12", "-keystore",
				keyStore(name).toString(), "-storepass", PASSWORD);
	}

	/**
	 * Return where the key store is that has a certificate and its key.
	 */
	public Path keyStore(String name) {
		return this.directory.resolve(name + ".p12");
	}

	/**
	 * Return where a key store is that has only certificates, of those who are trusted.
	 */
	public Path trustStore(String... names) throws IOException, GeneralSecurityException {
		Path file = this.directory.resolve("trusted-" + String.join("-", names) + ".p12");
		try (OutputStream output = Files.newOutputStream(file)) {
			trusted(names).store(output, PASSWORD.toCharArray());
		}
		return file;
	}

	private KeyStore trusted(String... names) throws IOException, GeneralSecurityException {
		KeyStore trusted = KeyStore.getInstance("PKCS12");
		trusted.load(null, null);
		for (String name : names) {
			trusted.setCertificateEntry(name, load(name).getCertificate(name));
		}
		return trusted;
	}

	private KeyStore load(String name) throws IOException, GeneralSecurityException {
		KeyStore loaded = KeyStore.getInstance("PKCS12");
		try (InputStream input = Files.newInputStream(keyStore(name))) {
			loaded.load(input, PASSWORD.toCharArray());
		}
		return loaded;
	}

	SSLContext server(String name, String... clients) throws IOException, GeneralSecurityException {
		KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		keys.init(load(name), PASSWORD.toCharArray());
		TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		trust.init(trusted(clients));
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
		return context;
	}

}
