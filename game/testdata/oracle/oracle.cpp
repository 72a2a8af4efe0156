// Oracle plays a script with the game rules of the original Teeworlds 0.7.5
// server and prints, tick by tick, what those told and showed. It stands in
// for the rest of that server: network, files and clock. See README.md.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <base/system.h>
#include <base/math.h>
#include <engine/config.h>
#include <engine/console.h>
#include <engine/kernel.h>
#include <engine/map.h>
#include <engine/server.h>
#include <engine/shared/config.h>
#include <engine/shared/packer.h>
#include <engine/shared/protocol.h>
#include <engine/storage.h>
#include <game/mapitems.h>
#include <generated/protocol.h>

// One game layer and nothing else.
struct ScriptMap : public IMap
{
	CMapItemGroup group;
	CMapItemLayerTilemap layer;
	std::vector<CTile> tiles;

	void read()
	{
		int width, height;
		if(scanf(" MAP %d %d", &width, &height) != 2)
			exit(2);
		tiles.resize(width * height);
		for(CTile &tile : tiles)
		{
			int index;
			if(scanf("%d", &index) != 1)
				exit(2);
			memset(&tile, 0, sizeof tile);
			tile.m_Index = index;
		}
		memset(&group, 0, sizeof group);
		group.m_Version = 3;
		group.m_NumLayers = 1;
		memset(&layer, 0, sizeof layer);
		layer.m_Layer.m_Type = LAYERTYPE_TILES;
		layer.m_Version = 4;
		layer.m_Width = width;
		layer.m_Height = height;
		layer.m_Flags = TILESLAYERFLAG_GAME;
	}

	void *GetData(int) { return &tiles[0]; }
	void *GetDataSwapped(int) { return &tiles[0]; }
	void UnloadData(int) {}
	void *GetItem(int i, int *, int *) { return i == 0 ? (void *)&group : (void *)&layer; }
	void GetType(int type, int *start, int *num)
	{
		*start = type == MAPITEMTYPE_LAYER;
		*num = type == MAPITEMTYPE_LAYER || type == MAPITEMTYPE_GROUP;
	}
	void *FindItem(int, int) { return 0; }
	int NumItems() { return 2; }
};

struct Seat
{
	bool connected, playing;
	std::string name, clan;
	int country;
	bool hasInput;
	int input[10];
};

struct Object
{
	int type, id, size;
	int *data;
};

// The parts of a server that the rules ask for.
struct ScriptServer : public IServer
{
	Seat seats[MAX_CLIENTS];
	std::vector<int> freeIDs;
	int nextID;
	std::vector<Object> objects;

	ScriptServer() : nextID(0)
	{
		m_CurrentGameTick = 0;
		m_TickSpeed = SERVER_TICK_SPEED;
		for(Seat &s : seats)
			s = Seat();
	}
	void advance() { m_CurrentGameTick++; }
	void clearObjects()
	{
		for(Object &o : objects)
			free(o.data);
		objects.clear();
	}

	const char *ClientName(int i) const { return seats[i].name.c_str(); }
	const char *ClientClan(int i) const { return seats[i].clan.c_str(); }
	int ClientCountry(int i) const { return seats[i].country; }
	bool ClientIngame(int i) const { return i >= 0 && i < MAX_CLIENTS && seats[i].playing; }
	int GetClientInfo(int, CClientInfo *) const { return 0; }
	void GetClientAddr(int i, char *buf, int size) const { snprintf(buf, size, "192.0.2.%d", i); }
	int GetClientVersion(int) const { return 0x0705; }
	void SetClientName(int i, const char *name) { seats[i].name = name; }
	void SetClientClan(int i, const char *clan) { seats[i].clan = clan; }
	void SetClientCountry(int i, int country) { seats[i].country = country; }
	void SetClientScore(int, int) {}
	void SetRconCID(int) {}
	bool IsAuthed(int) const { return false; }
	bool IsBanned(int) { return false; }
	void Kick(int i, const char *) { printf("KICK %d\n", i); }
	void DemoRecorder_HandleAutoStart() {}
	bool DemoRecorder_IsRecording() { return false; }
	void SnapSetStaticsize(int, int) {}

	// A freed id is the next to be used, as on the released server.
	int SnapNewID()
	{
		if(freeIDs.empty())
			return nextID++;
		int id = freeIDs.back();
		freeIDs.pop_back();
		return id;
	}
	void SnapFreeID(int id) { freeIDs.push_back(id); }
	void *SnapNewItem(int type, int id, int size)
	{
		Object o = {type, id, size / 4, (int *)calloc(1, size + 4)};
		objects.push_back(o);
		return o.data;
	}

	int SendMsg(CMsgPacker *msg, int flags, int to)
	{
		if(flags & MSGFLAG_NOSEND)
			return 0;
		printf("M %d x", to);
		for(int i = 0; i < msg->Size(); i++)
			printf(" %02x", msg->Data()[i]);
		printf("\n");
		return 0;
	}
};

// The rules draw their random numbers from here, half of 32 bits at a time. They are those
// of our worlds with the seed 0: splitmix64.
extern "C" int rand()
{
	static unsigned long long state;
	static unsigned bits;
	static bool second;
	if((second = !second))
	{
		unsigned long long z = state += 0x9e3779b97f4a7c15ULL;
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
		bits = (z ^ (z >> 31)) >> 33;
		return bits >> 16;
	}
	return bits & 0xffff;
}

static ScriptServer server;
static IGameServer *game;

template<class T>
static void deliver(T &msg, int from)
{
	CMsgPacker packer(msg.MsgID(), false);
	msg.Pack(&packer);
	CUnpacker unpacker;
	unpacker.Reset(packer.Data(), packer.Size());
	unpacker.GetInt(); // the id
	game->OnMessage(msg.MsgID(), &unpacker, from);
}

static void readInput(int *input)
{
	for(int i = 0; i < 10; i++)
		if(scanf("%d", &input[i]) != 1)
			exit(2);
}

static int readInt()
{
	int n;
	if(scanf("%d", &n) != 1)
		exit(2);
	return n;
}

// What a recording would hold.
static void showAll()
{
	game->OnSnap(-1);
	for(Object &o : server.objects)
	{
		if(o.type == NETOBJTYPE_DE_CLIENTINFO)
			continue;
		printf("I %d %d", o.type, o.id);
		for(int i = 0; i < o.size; i++)
			printf(" %d", o.data[i]);
		printf("\n");
	}
	server.clearObjects();
}

// How much a player is shown.
static void showPlayer(int id)
{
	int projectiles = 0, pickups = 0, characters = 0, effects = 0;
	game->OnSnap(id);
	int inside = id;
	for(Object &o : server.objects)
		if(o.type == NETOBJTYPE_SPECTATORINFO)
			inside = o.data[1];
	for(Object &o : server.objects)
	{
		projectiles += o.type == NETOBJTYPE_PROJECTILE;
		pickups += o.type == NETOBJTYPE_PICKUP;
		effects += o.type >= NETEVENTTYPE_EXPLOSION && o.type <= NETEVENTTYPE_DAMAGE;
		if(o.type == NETOBJTYPE_CHARACTER)
		{
			characters++;
			// In survival modes the original goes on to tell players the health
			// of whom they watched while they were out. We do not do that.
			if(((CNetObj_Character *)o.data)->m_Health && o.id == inside)
				printf("H %d %d\n", id, o.id);
		}
		if(o.type == NETOBJTYPE_FLAG)
			printf("F %d %d\n", id, o.id);
		if(o.type == NETOBJTYPE_SPECTATORINFO)
			printf("V %d %d %d %d %d\n", id, o.data[0], o.data[1], o.data[2], o.data[3]);
	}
	printf("N %d %d %d %d %d\n", id, projectiles, pickups, characters, effects);
	server.clearObjects();
}

static void tick()
{
	server.advance();
	for(int i = 0; i < MAX_CLIENTS; i++)
	{
		Seat &s = server.seats[i];
		if(s.hasInput && s.playing)
			game->OnClientPredictedInput(i, s.input);
		s.hasInput = false;
	}
	game->OnTick();
	showAll();
	for(int i = 0; i < MAX_CLIENTS; i++)
		if(server.seats[i].playing)
			showPlayer(i);
	game->OnPostSnap();
	printf("T\n");
}

// A line of a player's: a letter, his id, arguments.
static void playerLine(char op, int id)
{
	Seat &s = server.seats[id];
	switch(op)
	{
	case 'J':
		s.connected = true;
		game->OnClientConnected(id, readInt() != 0);
		break;
	case 'P':
	{
		char name[64];
		if(scanf("%63s", name) != 1)
			exit(2);
		CNetMsg_Cl_StartInfo m;
		m.m_pName = name;
		m.m_pClan = "";
		m.m_Country = -1;
		for(int i = 0; i < 6; i++)
		{
			m.m_apSkinPartNames[i] = "";
			m.m_aUseCustomColors[i] = m.m_aSkinPartColors[i] = 0;
		}
		deliver(m, id);
		break;
	}
	case 'E':
		s.playing = true;
		game->OnClientEnter(id);
		break;
	case 'L':
		game->OnClientDrop(id, "");
		s = Seat();
		break;
	case 'D':
	{
		int input[10];
		readInput(input);
		if(s.playing)
			game->OnClientDirectInput(id, input);
		break;
	}
	case 'I':
		readInput(s.input);
		s.hasInput = true;
		break;
	case 'K':
	{
		CNetMsg_Cl_Kill m;
		deliver(m, id);
		break;
	}
	case 'R':
	{
		CNetMsg_Cl_ReadyChange m;
		deliver(m, id);
		break;
	}
	case 'M':
	{
		CNetMsg_Cl_SetTeam m;
		m.m_Team = readInt();
		deliver(m, id);
		break;
	}
	case 'O':
	{
		CNetMsg_Cl_Emoticon m;
		m.m_Emoticon = readInt();
		deliver(m, id);
		break;
	}
	case 'S':
	{
		CNetMsg_Cl_SetSpectatorMode m;
		m.m_SpecMode = readInt();
		m.m_SpectatorID = readInt();
		deliver(m, id);
		break;
	}
	case 'Y':
	{
		CNetMsg_Cl_Say m;
		char text[300];
		m.m_Mode = readInt();
		m.m_Target = readInt();
		if(scanf("%299s", text) != 1)
			exit(2);
		m.m_pMessage = text;
		deliver(m, id);
		break;
	}
	default:
		fprintf(stderr, "unknown line %c\n", op);
		exit(2);
	}
}

int main()
{
	IKernel *kernel = IKernel::Create();
	IConsole *console = CreateConsole(CFGFLAG_SERVER | CFGFLAG_ECON);
	IConfigManager *config = CreateConfigManager();
	ScriptMap map;
	game = CreateGameServer();
	kernel->RegisterInterface(console);
	kernel->RegisterInterface(config);
	kernel->RegisterInterface(static_cast<IMap *>(&map));
	kernel->RegisterInterface(static_cast<IServer *>(&server));
	kernel->RegisterInterface(game);
	config->Init(CFGFLAG_SERVER | CFGFLAG_ECON);
	console->Init();
	game->OnConsoleInit();
	map.read();

	char op;
	while(scanf(" %c", &op) == 1)
	{
		if(op == 'C')
		{
			char line[512];
			if(!fgets(line, sizeof line, stdin))
				return 2;
			line[strcspn(line, "\n")] = 0;
			console->ExecuteLine(line + 1);
		}
		else if(op == 'X')
		{
			game->OnInit();
			console->StoreCommands(false);
		}
		else if(op == 'T')
			tick();
		else
			playerLine(op, readInt());
	}
	return 0;
}
