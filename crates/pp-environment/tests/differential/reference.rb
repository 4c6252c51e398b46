# Real Puppet as a long-lived process: reads one JSON object {"code": …, "strict": …} per line, compiles it as the only manifest
# of an environment, and answers with one JSON object per line: {"log": […], "catalog": …} or {"log": […], "error": …, "line": …}.
# With "graph" the answer has the relationship graph that an agent makes of the catalog, too, or "refusal": why it refuses it.
# "modulepath" is a list of directories, "facts" a file of facts instead of that on the command line, "environment" a directory
# with hiera.yaml and data.
require 'json'
require 'yaml'
require 'tmpdir'
require 'fileutils'
require 'timeout'
require 'puppet'

NODE = 'agent.example.com'.freeze
SCRATCH = Dir.mktmpdir('puppet-reference')
at_exit { FileUtils.remove_entry(SCRATCH) }

# Log destinations are found by the class of their argument.
module Puppet
  module Test
    class LogCollector
      def initialize(logs)
        @logs = logs
      end

      def <<(value)
        @logs << value
      end
    end
  end
end

LOGS = [].freeze.dup
Puppet.initialize_settings(['--certname', NODE, '--vardir', SCRATCH, '--confdir', SCRATCH])
Puppet::Util::Log.close_all
Puppet::Util::Log.level = :info
Puppet::Util::Log.newdestination(Puppet::Test::LogCollector.new(LOGS))
FACTS = Hash.new { |known, file| known[file] = YAML.safe_load(File.read(file).sub(/^--- .*$/, '---'))['values'] }

# The graph of a catalog in the form in which agents receive it.
def relationships(wire, env)
  catalog = Puppet::Resource::Catalog.convert_from(:json, wire)
  catalog.environment_instance = env
  ral = catalog.to_ral
  ral.host_config = false
  ral.finalize
  graph = ral.relationship_graph
  name = ->(vertex) { vertex.is_a?(Puppet::Type.type(:whit)) ? vertex[:name] : vertex.ref }
  edges = graph.edges.map { |e| "#{name.call(e.source)} -> #{name.call(e.target)} #{e.event || '-'}" }
  { 'vertices' => graph.vertices.map { |v| name.call(v) }, 'edges' => edges }
rescue Timeout::Error
  raise
rescue StandardError => e
  { 'refusal' => e.message.to_s }
end

def compile(code, strict, modulepath, facts_file, with_graph, directory)
  Puppet[:strict] = strict ? :error : :warning
  Puppet[:strict_variables] = strict
  Puppet[:code] = code
  Puppet::Util::Warnings.clear_warnings
  Puppet.clear_deprecation_warnings
  Puppet::Parser::Functions.reset unless modulepath.empty?
  env = Puppet::Node::Environment.create(:production, modulepath)
  facts = Puppet::Node::Facts.new(NODE, Marshal.load(Marshal.dump(FACTS[facts_file])))
  node = Puppet::Node.new(NODE, environment: env, facts: facts)
  trusted = Puppet::Context::TrustedInformation.new('local', NODE, {})
  environments = Puppet::Environments::StaticDirectory.new(:production, directory, env) if directory
  context = { current_environment: env, loaders: Puppet::Pops::Loaders.new(env), trusted_information: trusted, rich_data: true }
  context[:environments] = environments if directory
  Puppet.override(context, 'reference') do
    node.merge(facts.values)
    node.trusted_data = trusted.to_h
    node.add_server_facts('serverversion' => '7.23.0', 'servername' => NODE, 'serverip' => '192.0.2.10')
    catalog = Puppet::Parser::Compiler.compile(node).filter(&:virtual?)
    wire = catalog.render('rich_data_json')
    answer = { 'catalog' => JSON.parse(wire) }
    answer['graph'] = relationships(wire, env) if with_graph
    answer
  end
rescue SystemStackError
  { 'error' => 'stack overflow', 'crash' => true }
rescue Timeout::Error
  raise
rescue StandardError, ScriptError => e
  # In a define, the location of the instance and that inside of it are both named.
  lines = e.message.to_s.scan(/\((?:file: [^()]*?, )?line: (\d+)(?:, column: \d+)?\)/).map { |found| found[0].to_i }
  { 'error' => e.message.to_s, 'lines' => lines, 'crash' => e.is_a?(NoMethodError) || e.is_a?(TypeError) || e.is_a?(LoadError) || e.is_a?(SyntaxError) || e.message.include?('Endless recursion detected') || e.message.include?('cannot load such file') }
end

$stdout.sync = true
$stdin.each_line do |line|
  request = JSON.parse(line)
  LOGS.clear
  answer =
    begin
      Timeout.timeout(60) { compile(request['code'], request['strict'], request['modulepath'] || [], request['facts'] || ARGV[0], request['graph'], request['environment']) }
    rescue Timeout::Error
      # A busy machine says nothing about the program.
      { 'error' => 'timeout', 'crash' => true }
    end
  answer['log'] = LOGS.select { |l| l.level == :notice && l.source.to_s.start_with?('Scope(') }.map { |l| "#{l.source}: #{l.message}" }
  puts JSON.generate(answer)
end
